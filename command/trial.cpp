// Compares results, describes the fields of problems, and makes random data.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation, such as conv2d. A verdict counts the results of a
// kernel that are wrong. A config_source finds measured configurations; without one the family
// chooses. A workbench is the device of a trial: it loads kernels, and notes where their images
// came from. A field_slot is a field of an aggregate in memory: where its value is read from and
// written to. A trial is a problem with random data.
module;

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.command;

import spio.image;
import spio.spec;

namespace spio::command {

void verdict::compare(std::string_view array, std::size_t index, double result, double exact,
                      double bound) {
    if (!count(result, exact, bound)) return;
    describe(std::string(array) + "[" + std::to_string(index) + "]", result, exact, bound);
}

bool verdict::count(double result, double exact, double bound) {
    ++compared;
    double const error = std::abs(result - exact);
    is_exact = is_exact && error == 0;
    // A result that is NaN fails this comparison, so it counts as wrong.
    if (error <= bound) {
        if (bound > 0) worst = std::fmax(worst, error / bound);
        return false;
    }
    return wrong++ == 0;
}

void verdict::describe(std::string const& place, double result, double exact, double bound,
                       bool was_nan) {
    bool const is_unwritten = was_nan && std::isnan(result);
    first_wrong = place + (is_unwritten ? " was not written, or is " : " is ") +
                  format_number(result, 9) + ", should be " + format_number(exact, 9) +
                  ", and may be " + format_number(bound) + " off";
}

std::string text_of_place(std::span<std::pair<std::string_view, long long> const> values) {
    std::string text;
    for (auto [type, value] : values) {
        std::string name(type);
        // dimension<"Row"> is spelled spio::named<'R', 'o', 'w'>.
        constexpr std::string_view by_letters = "spio::named<";
        if (type.starts_with(by_letters)) {
            name.clear();
            for (auto i = type.find('\''); i != type.npos; i = type.find('\'', i + 3)) {
                name += type[i + 1];
            }
        } else if (type.find('<') == type.npos) {
            name.erase(0, type.rfind(':') + 1);
        }
        text += (text.empty() ? "[" : " + ") + name + "(" + std::to_string(value) + ")";
    }
    return text + "]";
}

void workbench::note(image const& source, clock::duration find, clock::duration load) {
    auto const is_known = [&](loaded_kernel const& k) { return k.source.symbol == source.symbol; };
    if (std::ranges::any_of(loaded, is_known)) return;
    using milliseconds = std::chrono::duration<double, std::milli>;
    loaded.push_back({source, milliseconds(find).count(), milliseconds(load).count()});
}

std::string chooser_line(std::string_view kind, arch arch, std::string_view model) {
    auto const chooser = model.empty() ? "an estimate, since there is no learned model for " +
                                             std::string(chip_of(arch).name)
                                       : std::string(model);
    return std::string(kind) + " on " + text_of(arch) + ": " + chooser;
}

trial_family const* trial_family_of(family const& family) {
    auto const found = std::ranges::find(trial_families(), family.name, &trial_family::name);
    return found == trial_families().end() ? nullptr : &*found;
}

std::string hint_for(trial_family const& family, std::string_view words) {
    auto const fields = family.fields();
    std::vector<std::string_view> names;
    for (auto const& field : fields) names.push_back(field.name);
    auto const text = " " + std::string(words) + " ";
    for (std::size_t begin = 1, end; (end = text.find(' ', begin)) != text.npos; begin = end + 1) {
        auto const word = std::string_view(text).substr(begin, end - begin);
        if (word.empty()) continue;
        auto const name = word.substr(0, word.find('='));
        auto const field = std::ranges::find(fields, name, &field_description::name);
        if (field == fields.end()) return suggestion(name, names);
        auto const value = word.substr(std::min(name.size() + 1, word.size()));
        auto const& choices = field->choices;
        if (!choices.empty() && std::ranges::find(choices, value) == choices.end()) {
            return suggestion(value, choices);
        }
    }
    bool const is_complete = std::ranges::all_of(fields, [&](field_description const& field) {
        return !field.is_required || text.find(" " + field.name + "=") != text.npos;
    });
    return is_complete ? "" : "; the fields are " + format_list(names, " and ");
}

trial create_trial(trial_family const& family, std::string_view words, arch arch, unsigned seed,
                   config_source const& configs) {
    try {
        return family.create(words, arch, seed, configs);
    } catch (spio::error const& e) {
        if (e.kind() != error_kind::invalid) throw;
        throw failure(exit_status::usage, e.what() + hint_for(family, words));
    }
}

namespace {

// "a whole number", "true or false" or "one of fprop, dgrad".
std::string kind_of(field_slot const& slot) {
    if (slot.integer != nullptr) return "a whole number";
    if (slot.boolean != nullptr) return "true or false";
    return "one of " + format_list(slot.enumerators, ", ");
}

// The field's value as text.
std::string value_of(field_slot const& slot) {
    if (slot.integer != nullptr) return std::to_string(*slot.integer);
    if (slot.boolean != nullptr) return *slot.boolean ? "true" : "false";
    return std::string(slot.enumerators[slot.number(slot.enumeration)]);
}

} // namespace

std::vector<field_description> describe(std::vector<field_slot> const& slots) {
    std::vector<field_description> fields;
    for (auto const& slot : slots) {
        std::vector<std::string_view> choices(slot.enumerators.begin(), slot.enumerators.end());
        if (slot.boolean != nullptr) choices = {"true", "false"};
        fields.push_back({.name = slot.name,
                          .kind = kind_of(slot),
                          .bound = slot.integer != nullptr ? slot.range.spelled() : "",
                          .choices = choices,
                          .otherwise = slot.is_required ? "" : value_of(slot),
                          .is_required = slot.is_required});
    }
    return fields;
}

std::vector<float> random_floats(std::mt19937& random, std::size_t count, float least, float most) {
    std::uniform_real_distribution<float> distribution(least, most);
    std::vector<float> values(count);
    std::ranges::generate(values, [&] { return distribution(random); });
    return values;
}

std::vector<unsigned short> random_halves(std::mt19937& random, std::size_t count) {
    constexpr unsigned bits_of_one = 0x3c00, sign_and_fraction = 0x83ff;
    std::vector<unsigned short> values(count);
    std::ranges::generate(values, [&] {
        return static_cast<unsigned short>(bits_of_one | (random() & sign_and_fraction));
    });
    return values;
}

} // namespace spio::command
