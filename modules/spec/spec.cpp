// Spells specializations and reads problems.
// SPDX-License-Identifier: Apache-2.0
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

std::string joined(std::string_view a, std::string_view b) {
    return std::string(a) + (b.empty() || b.front() == ' ' ? "" : " ") + std::string(b);
}

// The words of a text; blanks and tabs lie between them.
std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; (at = text.find_first_not_of(" \t", at)) != text.npos;) {
        auto const end = std::min(text.find_first_of(" \t", at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

std::string list_of(std::span<std::string_view const> words) {
    std::string list;
    for (auto const& each : words) list += (list.empty() ? "" : ", ") + std::string(each);
    return list;
}

std::string names_of(std::vector<slot> const& slots) {
    std::string names;
    for (auto const& each : slots) names += (names.empty() ? "" : ", ") + each.name;
    return names.empty() ? "none" : names;
}

std::string hexadecimal(unsigned long long value) {
    std::string digits(16, '0');
    for (std::size_t i = 16; i-- > 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
    return digits;
}

} // namespace

std::string text_of(arch arch) {
    if (arch.is_host) return "host";
    if (arch.number == 0) return {};
    auto const suffix = arch.suffix == 0 ? std::string() : std::string(1, arch.suffix);
    return (arch.is_ptx ? "compute_" : "sm_") + std::to_string(arch.number) + suffix;
}

std::optional<arch> find_arch(std::string_view text) {
    if (text == "host") return host_arch;
    arch found = {.is_ptx = text.starts_with("compute_")};
    if (!found.is_ptx && !text.starts_with("sm_")) return {};
    text.remove_prefix(text.find('_') + 1);
    if (text.ends_with('a') || text.ends_with('f')) {
        found.suffix = text.back();
        text.remove_suffix(1);
    }
    bool const has_digits = (text.size() == 2 || text.size() == 3) &&
                            std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (!has_digits || text.front() == '0') return {};
    std::from_chars(text.data(), text.data() + text.size(), found.number);
    return found;
}

arch parse_arch(std::string_view text) {
    if (auto const found = find_arch(text)) return *found;
    throw error(error_kind::invalid, "parse", "an architecture",
                "'" + std::string(text) +
                    "' is no architecture such as sm_80, sm_90a, compute_80 or host");
}

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

void read_slots(std::vector<slot>& slots, std::string_view family, std::string_view text) {
    auto const fail = [&](std::string why) {
        throw error(error_kind::invalid, "parse", joined(family, text), std::move(why));
    };
    for (auto const word : words_of(text)) {
        auto const equals = word.find('=');
        if (equals == word.npos) fail("'" + std::string(word) + "' is no key=value");
        auto const key = std::string(word.substr(0, equals));
        auto const value = word.substr(equals + 1);
        auto const found = std::ranges::find(slots, key, &slot::name);
        if (found == slots.end()) {
            fail("there is no field '" + key + "'; the fields are " + names_of(slots));
        }
        if (std::exchange(found->is_given, true)) fail(key + " is given twice");
        if (found->truth != nullptr) {
            if (value != "true" && value != "false") {
                fail(key + " is '" + std::string(value) + "', but must be true or false");
            }
            *found->truth = value == "true";
            continue;
        }
        if (found->choose != nullptr) {
            auto const word = std::ranges::find(found->words, value);
            if (word == found->words.end()) {
                fail(key + " is '" + std::string(value) + "', but must be one of " +
                     list_of(found->words));
            }
            found->choose(found->chosen, static_cast<std::size_t>(word - found->words.begin()));
            continue;
        }
        auto const [end, wrong] =
            std::from_chars(value.data(), value.data() + value.size(), *found->number);
        if (wrong == std::errc::result_out_of_range) {
            fail(key + " is '" + std::string(value) + "', which is beyond what an int holds");
        }
        if (wrong != std::errc() || end != value.data() + value.size()) {
            fail(key + " is '" + std::string(value) + "', but must be a whole number");
        }
    }
    for (auto const& each : slots) {
        if (each.is_required && !each.is_given) fail(each.name + " is missing");
    }
    check_slots(slots, family, text);
}

void check_slots(std::vector<slot> const& slots, std::string_view family, std::string_view text) {
    for (auto const& each : slots) {
        if (each.number == nullptr || each.within.holds(*each.number)) continue;
        throw error(error_kind::invalid, "check", joined(family, text),
                    each.name + " is " + std::to_string(*each.number) + ", but must be " +
                        each.within.spelled());
    }
}

spec specialized(specialization const& s, std::size_t params_bytes) {
    std::string const name(s.family);
    if (s.arch == arch()) {
        throw error(error_kind::invalid, "specialize", joined(s.family, s.problem),
                    "there is no architecture to specialize it for");
    }
    auto const scope = (s.scope.empty() ? "spio::" + name : std::string(s.scope)) +
                       (s.body.empty() ? "" : "::" + std::string(s.body));
    auto const call = scope + "::run<" + s.arguments + ">";
    auto const digest = fnv(call + " of " + std::to_string(params_bytes) +
                            (s.blocks == 0 ? "" : " by " + std::to_string(s.blocks)));
    spec made = {.family = name,
                 .problem = s.problem,
                 .config = s.config,
                 .arch = s.arch,
                 .symbol = std::string(s.prefix) + "_" + hexadecimal(digest),
                 .source = {},
                 .shape = s.shape,
                 .params_bytes = params_bytes,
                 .headers = s.headers};
    auto const header = name + "/" + (s.body.empty() ? name : std::string(s.body)) + ".cuh";
    auto const bounds = s.blocks == 0 ? ""
                                      : "__launch_bounds__(" + std::to_string(s.shape.block.x) +
                                            ", " + std::to_string(s.blocks) + ") ";
    made.source = "#include \"" + header + "\"\n\nextern \"C\" __global__ void " + bounds +
                  made.symbol + "(__grid_constant__ " + scope + "::params const p) {\n    " + call +
                  "(p);\n}\n";
    return made;
}

std::vector<spec> specs_of_line(std::string_view line, std::span<family const> families,
                                arch arch) {
    auto const words = words_of(line);
    auto const name = words.empty() ? std::string_view() : words.front();
    auto const found = std::ranges::find(families, name, &family::name);
    if (found == families.end()) {
        std::string names;
        for (auto const& each : families) {
            names += (names.empty() ? "" : ", ") + std::string(each.name);
        }
        throw error(error_kind::invalid, "read", "'" + std::string(line) + "'",
                    "there is no family '" + std::string(name) + "'; the families are " + names);
    }
    auto const rest = static_cast<std::size_t>(name.data() + name.size() - line.data());
    return found->specialize(line.substr(rest), arch);
}

} // namespace spio
