// Whether launches look for reads of unwritten global memory where their options do not say so.
// SPDX-License-Identifier: Apache-2.0
//
// A launch runs a kernel on the host device, a GPU that is simulated on the CPU.
#pragma once

namespace spio::sim {

void look_for_unwritten_reads(bool is_wanted);

} // namespace spio::sim
