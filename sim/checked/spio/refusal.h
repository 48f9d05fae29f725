// Refusals that happen at run time too: the program says which rule is broken, and ends.
// SPDX-License-Identifier: Apache-2.0
//
// A refusal is what broken rules of the typed dimensions call: a function whose name is the
// sentence. It stands for kernels/spio/refusal.h where this folder comes first among the include
// folders, as SPIO_CHECKED=ON has it. All files of a program need the same one.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace spio {

inline constexpr bool checks_at_run_time = true;

// Ends the program with a sentence: `rule`, the name of the function whose rule is broken, then its
// numbers and its dimension, which is read from `types`, a __PRETTY_FUNCTION__.
//     spio: a bounded value is from 0 to below its size: 9, 8 (Dimension = K)
[[noreturn]] inline void refuse(char const* rule, std::string types, long long first,
                                long long second) {
    std::string sentence = rule;
    sentence.resize(std::min(sentence.find('<'), sentence.size())); // g++ adds template arguments
    for (char& letter : sentence) {
        if (letter == '_') letter = ' ';
    }
    auto const start = types.find("Dimension = ");
    auto const end = types.find_last_of(']');
    types = start == std::string::npos ? "" : " (" + types.substr(start, end - start) + ")";
    std::fprintf(stderr, "spio: %s: %lld, %lld%s\n", sentence.c_str(), first, second,
                 types.c_str());
    std::abort();
}

// Made by the function that is called where a rule is broken: __builtin_FUNCTION(), as a default
// argument, is the name of that function.
template <class Dimension> struct refusal {
    explicit refusal(long long first = 0, long long second = 0,
                     char const* rule = __builtin_FUNCTION()) {
        refuse(rule, __PRETTY_FUNCTION__, first, second);
    }
};

} // namespace spio
