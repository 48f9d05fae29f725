// The 16-bit numbers by name, for those who only pass them on: half.cuh has what they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio {

struct half;
struct bfloat16;

} // namespace spio
