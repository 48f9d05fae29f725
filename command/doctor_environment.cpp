// Examines what the environment decides: the policy, the measured configurations, the variables.
// SPDX-License-Identifier: Apache-2.0
//
// The policy says whether kernels may come from packs (files of compiled kernels), from a compiler
// at run time, or both. A configuration is how blocks and threads share a problem. A family is the
// kernels of one operation, such as conv2d; a generic kernel serves every layer with the same
// filter.
module;

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sys/auxv.h>
#include <unistd.h>

module spio.command;

import spio.cuda;
import spio.launch;
import spio.spec;
import spio.system;
import spio.tuned;

namespace spio::command {

namespace {

constexpr variable runtime_variables[] = {
    {"SPIO_POLICY", "who is asked for images: aot_only, generic_then_jit, aot_then_jit, jit_only"},
    {"SPIO_TIER_UP", "off: a problem that began with a generic kernel keeps it"},
    {"SPIO_LIVE_TUNING", "on: the first launches find the fastest of a few configurations"},
    {"SPIO_LOG", "1: a line on the standard error for each image found, compiled and loaded"},
    {"SPIO_CACHE", "off: what is compiled at run time is not kept"},
    {"SPIO_CACHE_DIR", "the folder where it is kept"},
    {"SPIO_TUNED", "the file of measured configurations, or off; else tuned.txt in that folder"},
    {"XDG_CACHE_HOME", "else, the folder above it"},
    {"HOME", "else, the home with .cache"},
    {"SPIO_NVRTC", "the file of NVRTC, and no other"},
};
// The environment variables that Spio reads: those of its runtime, and those that lead to CUDA.
std::vector<variable> read_variables() {
    std::vector<variable> variables(std::begin(runtime_variables), std::end(runtime_variables));
    std::ranges::copy(toolchain_variables(), std::back_inserter(variables));
    return variables;
}

// Environment variables whose names begin with SPIO_ but which Spio does not read, with their
// values.
std::map<std::string, std::string> unknown_variables() {
    auto const variables = read_variables();
    std::map<std::string, std::string> unknown;
    for (auto const* entry = environ; *entry != nullptr; ++entry) {
        std::string_view const text(*entry);
        auto const name = text.substr(0, text.find('='));
        bool const is_known = std::ranges::any_of(
            variables, [&](auto const& variable) { return variable.name == name; });
        if (name.starts_with("SPIO_") && !is_known && name.size() < text.size()) {
            unknown.emplace(name, text.substr(name.size() + 1));
        }
    }
    return unknown;
}

// What chooses the configurations of each family on the first GPU, or on sm_90a where there is
// none.
std::vector<std::string> lines_of_choosers(io const& io) {
    auto arch = sm_90a;
    try {
        auto const driver = io.open_driver();
        if (driver->device_count() > 0) arch = arch_of(driver->device(0));
    } catch (spio::error const&) { // told by the diagnosis of the driver
    }
    auto const refusals = add_models_of_gpu(io);
    std::vector<std::string> lines;
    for (auto const& family : trial_families()) {
        if (family.choosers != nullptr)
            std::ranges::copy(family.choosers(arch), std::back_inserter(lines));
    }
    for (auto const& refusal : refusals) lines.push_back("a model is not used: " + refusal);
    return lines;
}

} // namespace

// Whether kernels may come from packs, from NVRTC, or from both.
diagnosis diagnose_policy() {
    diagnosis result = {.name = "policy"};
    try {
        result.text = name_of(policy_of_environment());
        result.facts = result.text;
    } catch (spio::error const& e) {
        result.state = condition::wrong;
        result.text = e.what();
        result.advice = "set SPIO_POLICY to one of them, or unset it";
    }
    return result;
}

// Which source of configurations is asked before the families, and what families ask.
diagnosis diagnose_configurations(io const& io) {
    diagnosis result = {.name = "configurations", .lines = lines_of_choosers(io)};
    auto const place = tuned::place_of_environment();
    auto const choosers = json::array(result.lines, [](auto const& line) { return json(line); });
    auto const facts = [&](std::string const& file, std::size_t measured) {
        return json::object(
            {{"file", json_or_null(file)}, {"measured", measured}, {"choosers", choosers}});
    };
    result.facts = facts(place.file.string(), 0);
    if (place.file.empty()) {
        result.text = "each family's own choice; measured ones have no file: " + place.refusal;
        return result;
    }
    try {
        auto const table = tuned::read(place.file);
        auto const file = place.file.string();
        if (place.is_named && table.empty()) {
            result.state = condition::missing;
            result.text = file + ", which SPIO_TUNED names, has no choices";
            return result;
        }
        result.facts = facts(file, table.size());
        result.text = table.empty()
                          ? "each family's own choice; 'spio tune' would keep others in " + file
                          : format_count(table.size(), "measured choice") + " in " + file +
                                "; else each family's own";
    } catch (spio::error const& e) {
        result.state = condition::wrong;
        result.text = e.what();
        result.advice = "runtimes do not read it; mend or remove it";
    }
    return result;
}

// The environment variables that are set, and those that look like Spio's but are not read.
diagnosis diagnose_environment() {
    diagnosis result = {.name = "environment"};
    if (::getauxval(AT_SECURE) != 0) {
        result.text = "not read: this program has more rights than its caller";
        result.facts = json::array({});
        return result;
    }
    std::vector<json> facts;
    std::vector<std::string_view> names;
    for (auto const& [name, meaning] : read_variables()) {
        names.push_back(name);
        char const* const value = std::getenv(std::string(name).c_str());
        facts.push_back(json::object({{"name", name},
                                      {"meaning", meaning},
                                      {"value", value == nullptr ? json(nullptr) : json(value)}}));
        if (value == nullptr) continue;
        result.lines.push_back(std::string(name) + "=" + value + "  (" + std::string(meaning) +
                               ")");
    }
    result.text = std::to_string(result.lines.size()) + " of " +
                  format_count(names.size(), "variable") + " that are read are set";
    for (auto const& [name, value] : unknown_variables()) {
        facts.push_back(json::object({{"name", name}, {"meaning", nullptr}, {"value", value}}));
        result.lines.push_back(name + " is set, but not read" + suggestion(name, names));
        result.advice = "a variable that is not read has no effect";
    }
    result.facts = json::array(facts);
    return result;
}

} // namespace spio::command
