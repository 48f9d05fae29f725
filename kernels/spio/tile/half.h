// The 16-bit numbers, declared for code that only points to them; half.cuh defines them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio {

struct half;
struct bfloat16;

} // namespace spio
