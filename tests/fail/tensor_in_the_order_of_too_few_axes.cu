// error: OnlyAxesOfTheTensor.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
#include "spio/orders.h"

constexpr void visit(Plain t) {
    for_each<k>(t, [](auto) {}); // wrong
}
