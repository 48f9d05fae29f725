// Lists the families and what their problems are made of.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

module spio.command;

import spio.families;
import spio.spec;

namespace spio::command {

namespace {

json field_json(field_words const& each) {
    return json::object({{"name", each.name},
                         {"kind", each.kind},
                         {"bound", each.bound},
                         {"is_required", each.is_required},
                         {"default", each.is_required ? json(nullptr) : json(each.otherwise)}});
}

std::string as_json() {
    auto const all = json_of_each(families(), [](family const& known) {
        auto const* const tried = trial_of(known);
        if (tried == nullptr) {
            return json::object({{"name", known.name},
                                 {"meaning", nullptr},
                                 {"example", nullptr},
                                 {"fields", json::array({})}});
        }
        auto const& each = *tried;
        return json::object({{"name", each.name},
                             {"meaning", each.meaning},
                             {"example", each.example},
                             {"fields", json_of_each(each.fields(), field_json)}});
    });
    auto const host =
        json_of_each(host_lines(), [](std::string const& line) { return json(line); });
    return json::object({{"families", all}, {"host_images", host}}).text() + "\n";
}

std::string as_text() {
    std::string text;
    for (auto const& known : families()) {
        auto const* const tried = trial_of(known);
        if (tried == nullptr) {
            text +=
                std::string(known.name) + ": can be shown and packed, not run by this command\n\n";
            continue;
        }
        auto const& family = *tried;
        text += std::string(family.name) + ": " + std::string(family.meaning) + "\n";
        auto const fields = family.fields();
        std::size_t width = 0;
        for (auto const& each : fields) width = std::max(width, each.name.size());
        for (auto const& each : fields) {
            text += "  " + padded(each.name, width + 2) + each.kind;
            if (!each.bound.empty()) text += ", " + each.bound;
            text += each.is_required ? "\n" : "; " + each.otherwise + " if it is not given\n";
        }
        text += "  spio run " + std::string(family.name) + " " + std::string(family.example) +
                " --check\n\n";
    }
    text += "Built into this program for the host device:\n";
    for (auto const& each : host_lines()) text += "  " + each + "\n";
    return text;
}

} // namespace

subcommand list() {
    return {.name = "list",
            .summary = "the families of kernels, and the words of their problems",
            .options = {json_option},
            .run = [](line const& asked, surroundings const& around) {
                around.print(asked.has(json_option.name) ? as_json() : as_text());
                return exit_code::success;
            }};
}

} // namespace spio::command
