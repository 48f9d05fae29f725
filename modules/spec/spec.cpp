// Spells specializations and reads problems.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. A specialization is the part of a spec that the family decides. A family is the
// kernels of one operation. A config_source chooses configurations: it asks its finders in turn. A
// field slot is a member of a problem or configuration, with its name. parse_fields() reads text
// such as "channels=64 affine=true" into a struct by the slots of its members, and text_of_fields()
// writes it.
module;

#include "spio/launch_values.h"
#include "spio/tile/arch.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.spec;

namespace spio {

namespace {

// Two texts with a blank between them.
std::string joined(std::string_view a, std::string_view b) {
    return std::string(a) + (b.empty() || b.front() == ' ' ? "" : " ") + std::string(b);
}

// Splits a text into words at blanks and tabs.
std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    std::size_t begin = 0;
    while ((begin = text.find_first_not_of(" \t", begin)) != text.npos) {
        auto const end = std::min(text.find_first_of(" \t", begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return words;
}

// Names with commas between them.
std::string list_text(std::span<std::string_view const> names) {
    std::string text;
    for (auto const name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

// The names of fields, for messages.
std::string names_text(std::vector<field_slot> const& slots) {
    std::string text;
    for (auto const& slot : slots) text += (text.empty() ? "" : ", ") + slot.name;
    return text.empty() ? "none" : text;
}

std::string hexadecimal(unsigned long long value) {
    std::string digits(16, '0');
    for (std::size_t i = 16; i-- > 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
    return digits;
}

} // namespace

std::string spec::spelled() const {
    auto const text = text_of(arch);
    return line() + " for " + text +
           (arch.is_newer_than_known() ? ", newer than all that Spio knows: with what sm_80 has"
                                       : "") +
           " (" + symbol + ")";
}

std::string bound::spelled() const {
    std::string text;
    auto const add = [&](std::string const& part) { text += (text.empty() ? "" : ", ") + part; };
    if (least != INT_MIN) add("at least " + std::to_string(least));
    if (most != INT_MAX) add("at most " + std::to_string(most));
    if (multiple_of != 1) add("a multiple of " + std::to_string(multiple_of));
    return text;
}

std::string text_of_fields(std::vector<field_slot> const& slots) {
    std::string text;
    for (auto const& slot : slots) {
        if (slot.is_implied) continue;
        text += (text.empty() ? "" : " ") + slot.name + "=";
        if (slot.boolean != nullptr) {
            text += *slot.boolean ? "true" : "false";
        } else if (slot.integer != nullptr) {
            text += std::to_string(*slot.integer);
        } else {
            text += slot.enumerators[slot.number(slot.enumeration)];
        }
    }
    return text;
}

namespace {

// Parses a text and writes the value of one field. If the text is no valid value, calls fail() with
// the reason in a sentence.
template <class F> void assign(field_slot const& slot, std::string_view value, F const& fail) {
    auto const start = slot.name + " is '" + std::string(value) + "', ";
    if (slot.boolean != nullptr) {
        if (value != "true" && value != "false") fail(start + "but must be true or false");
        *slot.boolean = value == "true";
        return;
    }
    if (slot.enumeration != nullptr) {
        auto const name = std::ranges::find(slot.enumerators, value);
        if (name == slot.enumerators.end()) {
            fail(start + "but must be one of " + list_text(slot.enumerators));
        }
        slot.assign(slot.enumeration, static_cast<std::size_t>(name - slot.enumerators.begin()));
        return;
    }
    auto const* const last = value.data() + value.size();
    auto const [end, status] = std::from_chars(value.data(), last, *slot.integer);
    if (status == std::errc::result_out_of_range) fail(start + "which is beyond what an int holds");
    if (status != std::errc() || end != last) fail(start + "but must be a whole number");
}

} // namespace

void parse_fields(std::vector<field_slot>& slots, std::string_view family, std::string_view text) {
    auto const fail = [&](std::string reason) {
        throw error(error_kind::invalid, "parse", joined(family, text), std::move(reason));
    };
    for (auto const word : words_of(text)) {
        auto const equals = word.find('=');
        if (equals == word.npos) fail("'" + std::string(word) + "' is no key=value");
        auto const key = std::string(word.substr(0, equals));
        auto const slot = std::ranges::find(slots, key, &field_slot::name);
        if (slot == slots.end()) {
            fail("there is no field '" + key + "'; the fields are " + names_text(slots));
        }
        if (std::exchange(slot->is_present, true)) fail(key + " is given twice");
        assign(*slot, word.substr(equals + 1), fail);
    }
    for (auto const& slot : slots) {
        if (slot.is_required && !slot.is_present) fail(slot.name + " is missing");
    }
    check_fields(slots, family, text);
}

void check_fields(std::vector<field_slot> const& slots, std::string_view family,
                  std::string_view text) {
    for (auto const& slot : slots) {
        if (slot.integer == nullptr || slot.range.holds(*slot.integer)) continue;
        throw error(error_kind::invalid, "check", joined(family, text),
                    slot.name + " is " + std::to_string(*slot.integer) + ", but must be " +
                        slot.range.spelled());
    }
}

// Makes a spec from a specialization. Its body is one of several kernel templates of the family;
// params_bytes is the size of the parameter of the template's run().
spec specialized(specialization const& request, std::size_t params_bytes) {
    std::string const family(request.family), body(request.body);
    if (request.arch == arch()) {
        throw error(error_kind::invalid, "specialize", joined(family, request.problem),
                    "there is no architecture to specialize it for");
    }
    auto const scope = (request.scope.empty() ? "spio::" + family : std::string(request.scope)) +
                       (body.empty() ? "" : "::" + body);
    auto const call = scope + "::run<" + request.arguments + ">";
    int const blocks = request.blocks;
    auto const digest = fnv(call + " of " + std::to_string(params_bytes) +
                            (blocks == 0 ? "" : " by " + std::to_string(blocks)));
    auto const symbol = request.prefix + "_" + hexadecimal(digest);
    auto const header = family + "/" + (body.empty() ? family : body) + ".cuh";
    auto const bounds = blocks == 0 ? ""
                                    : "__launch_bounds__(" + std::to_string(request.shape.block.x) +
                                          ", " + std::to_string(blocks) + ") ";
    return {.family = family,
            .problem = request.problem,
            .config = request.config,
            .arch = request.arch,
            .symbol = symbol,
            .source = "#include \"" + header + "\"\n\nextern \"C\" __global__ void " + bounds +
                      symbol + "(__grid_constant__ " + scope + "::params const p) {\n    " + call +
                      "(p);\n}\n",
            .shape = request.shape,
            .params_bytes = params_bytes,
            .headers = request.headers};
}

std::string_view name_of(config_origin origin) {
    switch (origin) {
    case config_origin::tuned:
        return "tuned";
    case config_origin::model:
        return "model";
    case config_origin::family:
        return "family";
    }
    return "unknown";
}

void config_source::add(config_origin origin, finder find) {
    finders.push_back({origin, std::move(find)});
}

std::optional<config_choice> config_source::find(config_query const& query) const {
    for (auto const& [origin, find] : finders) {
        if (auto config = find(query)) return config_choice{*std::move(config), origin};
    }
    return {};
}

config_source const& default_config_source() {
    // A constant: it has no guard that a forked process would find held, and is never destroyed,
    // since a background thread may choose while the program ends.
    static constexpr config_source source;
    return source;
}

std::vector<spec> specs_of_line(std::string_view line, std::span<family const> families, arch arch,
                                config_source const& configs) {
    auto const words = words_of(line);
    auto const name = words.empty() ? std::string_view() : words.front();
    auto const found = std::ranges::find(families, name, &family::name);
    if (found == families.end()) {
        std::vector<std::string_view> names;
        for (auto const& family : families) names.push_back(family.name);
        throw error(error_kind::invalid, "read", "'" + std::string(line) + "'",
                    "there is no family '" + std::string(name) + "'; the families are " +
                        list_text(names));
    }
    auto const end = static_cast<std::size_t>(name.data() + name.size() - line.data());
    return found->specialize(line.substr(end), arch, configs);
}

} // namespace spio
