// Refusals: what a broken rule does. sim/checked has another header of this name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio {

// Whether rules are checked at run time too, not only in constant expressions. In kernels they are
// not, and cost nothing.
inline constexpr bool checks_at_run_time = false;

// A local variable of a function that is called where a rule is broken. Its type is not literal
// (its members are volatile), so that such a call is never a constant expression, and every
// compiler names the function: its name is the error message, its arguments and Dimension are what
// the message is about.
template <class Dimension> struct refusal {
    long long volatile first = 0;
    long long volatile second = 0;
};

} // namespace spio
