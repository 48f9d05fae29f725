// The families that can be tried.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

module spio.command;

import spio.families;
import spio.spec;

namespace spio::command {

trial_family const& axpby_trials();
trial_family const& conv2d_trials();
trial_family const& layernorm_2d_trials();

std::span<trial_family const> trial_families() {
    static trial_family const all[] = {
        axpby_trials(),
        conv2d_trials(),
        layernorm_2d_trials(),
    };
    return all;
}

family const& family_named(std::string_view name) {
    std::vector<std::string_view> names;
    for (auto const& each : families()) {
        if (each.name == name) return each;
        names.push_back(each.name);
    }
    throw failure(exit_code::usage, "there is no family " + in_quotes(name) +
                                        suggestion(name, names) + "; 'spio list' tells all");
}

trial_family const* trial_of(family const& of) {
    auto const found = std::ranges::find(trial_families(), of.name, &trial_family::name);
    return found == trial_families().end() ? nullptr : &*found;
}

trial_family const& trial_family_named(std::string_view name) {
    if (auto const* const found = trial_of(family_named(name))) return *found;
    throw failure(exit_code::usage, "problems of " + std::string(name) +
                                        " can be shown and packed, but this command has no data "
                                        "to run them on");
}

namespace {

std::string kind_of(field_slot const& place) {
    if (place.integer != nullptr) return "a whole number";
    if (place.boolean != nullptr) return "true or false";
    std::string words;
    for (auto const word : place.enumerators)
        words += (words.empty() ? "" : ", ") + std::string(word);
    return "one of " + words;
}

// What follows NAME= in a text of such words.
std::string value_in(std::string const& text, std::string const& name) {
    auto const all = " " + text + " ";
    auto const at = all.find(" " + name + "=");
    if (at == all.npos) return "";
    auto const begin = at + name.size() + 2;
    return all.substr(begin, all.find(' ', begin) - begin);
}

} // namespace

std::vector<field_words> words_of(std::vector<field_slot> const& slots, std::string const& now) {
    std::vector<field_words> all;
    for (auto const& each : slots) {
        all.push_back({.name = each.name,
                       .kind = kind_of(each),
                       .bound = each.integer != nullptr ? each.range.spelled() : "",
                       .otherwise = each.is_required ? "" : value_in(now, each.name),
                       .is_required = each.is_required});
    }
    return all;
}

void verdict::compare(std::string_view array, std::uint64_t place, double got, double exact,
                      double bound) {
    ++compared;
    double const error = std::abs(got - exact);
    // What is no number is wrong too.
    if (error <= bound) {
        if (bound > 0) worst = std::fmax(worst, error / bound);
        return;
    }
    if (wrong++ > 0) return;
    first = std::string(array) + "[" + std::to_string(place) + "] is " + spelled(got, 9) +
            ", should be " + spelled(exact, 9) + ", and may be " + spelled(bound) + " off";
}

} // namespace spio::command
