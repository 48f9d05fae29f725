// Whether launches look for reads of unwritten global memory where their options do not say so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::sim {

void look_for_unwritten_reads(bool is_wanted);

} // namespace spio::sim
