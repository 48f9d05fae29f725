// The keywords of CUDA that a host compiler does not know. The build includes this before kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
