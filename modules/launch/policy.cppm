// Whether kernels may be compiled while the program runs.
// SPDX-License-Identifier: Apache-2.0
module;

#include <string_view>

export module spio.launch:policy;

export namespace spio {

enum class policy { aot_only, aot_then_jit, jit_only };
std::string_view name_of(policy);
// "aot_only" and so on; throws for what is none of them.
policy policy_named(std::string_view);
// What SPIO_POLICY says, read once; aot_then_jit if it is not set.
policy policy_of_environment();

} // namespace spio
