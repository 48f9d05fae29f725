// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions J and K, K8 = fold<K, 8>, K16 = fold<K, 16>.

// K8 counts blocks of 8 values of K, K16 blocks of 16. They mix with K, exactly.
static_assert(K8(3) == K(24) && K8(3) + K(4) == K(28) && K8(2) > K(15));
static_assert(K8(1) + K16(1) == K(24) && K8(5) % K16(1) == K(8));
constexpr K exact = K8(3);
constexpr K8 exact_too = K16(3);
static_assert(K8(K(13)) == K8(1) && spio::refold<16>(K8(3)) == K16(1));
static_assert(spio::modulo<4>(K8(5)).get() == 1 && spio::cast<J>(K8(2)) == J(16));
static_assert(spio::min(K8(1), K(9)) == K(8) && spio::max(K8(1), K(9)) == K(9));
