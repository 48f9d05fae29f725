// The words of device text that a host compiler does not know: the build includes this before it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
