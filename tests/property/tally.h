// Counts what was tried, and reports the first failures only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <iostream>
#include <string>

#include "seed.h"

class tally {
  public:
    long long tried = 0;

    // `what` is a function that says what failed: most calls do not need it.
    template <class Sentence> void check(bool holds, Sentence what) {
        ++tried;
        if (!holds && ++failures_ <= 5) FAIL_CHECK(what(), " (SPIO_SEED=", seed(), ")");
    }
    // Says how much was tried, and that all of it held.
    void conclude(std::string const& figures) const {
        std::cout << "figure: property." << figures << ", seed " << seed() << '\n';
        CHECK(failures_ == 0);
    }

  private:
    long long failures_ = 0;
};

template <class List> std::string listed(List const& list) {
    std::string text;
    for (auto const& item : list) text += (text.empty() ? "" : " ") + std::to_string(item);
    return "{" + text + "}";
}
