// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// Coordinates hold a value for each of several dimensions; all operations go dimension by
// dimension.
constexpr auto place = I(3) + J(4) + K(5);
static_assert(place == spio::make_coordinates(I(3), J(4), K(5)) && place.get<J>() == J(4));
static_assert(place - J(1) < I(4) + J(4) && K(4) < place && 2 * place == place + place);
static_assert(place.drop<J>() == I(3) + K(5) && place.cast<I, N>().get<N>() == N(3));
constexpr spio::coords<I, J> moved(spio::coords<I, J> x) {
    x += I(1);
    return x;
}
static_assert(moved(I(1) + J(2)) == I(2) + J(2));
