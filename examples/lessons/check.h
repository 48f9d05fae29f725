// What the lessons check while they run: a sentence that should hold, printed if it does not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

inline int wrong = 0;

// main() returns `wrong`, so that a lesson is a test of what it teaches.
inline void check(bool holds, char const* sentence) {
    if (holds) return;
    std::printf("does not hold: %s\n", sentence);
    ++wrong;
}
