// The headers of Mp11 that the algebra includes, and nothing of the algebra.
// SPDX-License-Identifier: Apache-2.0
#include <boost/mp11/integer_sequence.hpp>
#include <boost/mp11/list.hpp>
#include <boost/mp11/set.hpp>
extern "C" __global__ void kernel() {}
