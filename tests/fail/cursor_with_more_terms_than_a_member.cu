// error: TermsOfAnotherCursor=<I, K>.*deleted
// error of clang: 'cursor_state<I, K>' has been explicitly marked deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, Plain = tensor<float, axis<I>(16), axis<K>(32)>.

// A cursor with further terms is not the start of a member that is a cursor with fewer.
struct warp {
    decltype(Plain()[I(2)]) row;
};
constexpr warp first{Plain()[I(2)][K(3)]}; // wrong
