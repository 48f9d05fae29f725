// Counts checks of the property tests, and reports the first failure of each law.
// SPDX-License-Identifier: Apache-2.0
//
// A law is a sentence that holds for all inputs; a property test checks it on random ones. A tally
// counts checks.
#pragma once

#include <doctest/doctest.h>

#include <iostream>
#include <map>
#include <string>

#include "seed.h"

class tally {
  public:
    long long tried = 0; // checks so far

    // `example` returns the description of a failure; it is called for the first of each law.
    template <class Example> void check(bool holds, char const* law, Example example) {
        ++tried;
        if (!holds && ++failures_[law] == 1) FAIL_CHECK(std::string(law), "\n  ", example());
    }
    void check(bool holds, char const* law) {
        check(holds, law, [] { return std::string(); });
    }
    // Prints how much was checked, and reports the number of failures.
    void conclude(std::string const& figures) const {
        std::cout << "summary: property." << figures << ", seed " << seed() << '\n';
        for (auto const& [law, times] : failures_) FAIL_CHECK(times, " times: ", law);
    }

  private:
    std::map<std::string, long long> failures_;
};

// "{1 2 3}"
template <class List> std::string listed(List const& list) {
    std::string text;
    for (auto const& item : list) text += (text.empty() ? "" : " ") + std::to_string(item);
    return "{" + text + "}";
}
