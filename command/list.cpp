// Lists the families of kernels, such as conv2d, and the fields of their problems.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU: kernels for it are compiled into the program. A trial_family
// says how this command runs kernels of a family on random data.
module;

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

module spio.command;

import spio.spec;

namespace spio::command {

namespace {

// A field of a problem, and below a family with all fields, for programs (--json).
json json_of(field_description const& field) {
    return json::object({{"name", field.name},
                         {"kind", field.kind},
                         {"bound", field.bound},
                         {"is_required", field.is_required},
                         {"default", field.is_required ? json(nullptr) : json(field.otherwise)}});
}

json json_of(family const& family) {
    auto const* const known = trial_family_of(family);
    return json::object(
        {{"name", family.name},
         {"meaning", known ? json(known->meaning) : json(nullptr)},
         {"example", known ? json(known->example) : json(nullptr)},
         {"fields", known ? json::array(known->fields(), [](auto const& f) { return json_of(f); })
                          : json::array({})}});
}

// A family with the fields of its problems and an example, for people.
std::string text_of(family const& family) {
    auto const name = std::string(family.name);
    auto const* const known = trial_family_of(family);
    if (known == nullptr) return name + ": can be shown and packed, not run by this command\n";
    auto text = name + ": " + std::string(known->meaning) + "\n";
    auto const fields = known->fields();
    std::size_t width = 0;
    for (auto const& field : fields) width = std::max(width, field.name.size());
    for (auto const& field : fields) {
        text += "  " + padded(field.name, width + 2) + field.kind;
        if (!field.bound.empty()) text += ", " + field.bound;
        text += field.is_required ? "\n" : "; " + field.otherwise + " if it is not given\n";
    }
    return text + "  spio run " + name + " " + std::string(known->example) + " --check\n";
}

exit_status run_list(arguments const& args, io const& io) {
    std::string text;
    for (auto const& family : families()) text += text_of(family) + "\n";
    text += "Built into this program for the host device:\n";
    for (auto const& line : host_manifest_lines()) text += "  " + line + "\n";
    print_result(
        args, io,
        json::object(
            {{"families", json::array(families(), [](auto const& f) { return json_of(f); })},
             {"host_images",
              json::array(host_manifest_lines(), [](auto const& l) { return json(l); })}}),
        text);
    return exit_status::success;
}

} // namespace

subcommand list() {
    return {.name = "list",
            .summary = "list the families of kernels, and the fields of their problems",
            .options = {json_option},
            .run = run_list};
}

} // namespace spio::command
