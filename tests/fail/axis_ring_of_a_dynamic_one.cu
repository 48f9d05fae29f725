// error: a_ring_needs_a_size_known_now<.*\bN\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = n.ring(); // wrong
