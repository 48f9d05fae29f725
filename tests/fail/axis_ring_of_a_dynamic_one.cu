// error: a_ring_needs_a_size_known_now<.*\bN\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension N, n = axis<N>(dynamic).

// A ring takes any position modulo its size. The size of n is known only at run time.
constexpr auto axis = n.ring(); // wrong
