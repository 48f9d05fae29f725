// Lists the subcommands, explains them, and runs the one that is asked for.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation, such as conv2d; a problem is the sizes and options of a
// call. A config_source finds measured configurations; without one the family chooses. A pack is a
// file of compiled kernels.
module;

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

module spio.command;

import spio.aot;
import spio.cache;
import spio.spec;
import spio.system;
import spio.text;
import spio.tuned;

namespace spio::command {

// Each subcommand is described in another file: its name, its help, its options, its function.
subcommand cache_clear();
subcommand cache_list();
subcommand cache_verify();
subcommand completion();
subcommand doctor();
subcommand draw();
subcommand list();
subcommand pack_build();
subcommand pack_list();
subcommand pack_verify();
subcommand run_python();
subcommand run_trial();
subcommand show();
subcommand tune();

namespace {

exit_status print_version(arguments const& args, io const& io) {
    auto const digest = kernel_text_digest();
    print_result(args, io,
                 json::object({{"version", project_version()},
                               {"kernel_text", digest},
                               {"pack_schema", aot::pack_schema},
                               {"cache_schema", cache::schema}}),
                 "spio " + std::string(project_version()) + ", kernel text " +
                     std::string(digest.substr(0, 16)) + ", packs of schema " +
                     std::to_string(aot::pack_schema) + ", cache of schema " +
                     std::to_string(cache::schema) + "\n");
    return exit_status::success;
}

subcommand version() {
    return {.name = "version",
            .summary = "print the version of Spio",
            .details =
                "The digest covers the text of all kernels in this program. Two programs with\n"
                "different digests compile different kernels at run time.\n",
            .options = {json_option},
            .run = print_version};
}

// The exit status of the command that an error ends.
exit_status status_of(error_kind kind) {
    switch (kind) {
    case error_kind::misuse: // of memory or barriers by a kernel, on the host device
        return exit_status::check_failed;
    case error_kind::invalid:
    case error_kind::unsupported:
        return exit_status::usage;
    case error_kind::not_found:
    case error_kind::no_compiler:
        return exit_status::not_found;
    default:
        return exit_status::tool_failed;
    }
}

// Returns the exit status for the exception that is being handled, and sets `line` to its message.
exit_status status_of_exception(std::string& line) {
    try {
        throw;
    } catch (failure const& e) {
        line = e.what();
        return e.status();
    } catch (spio::error const& e) {
        line = e.what();
        return status_of(e.kind());
    } catch (std::bad_alloc const&) {
        line = "there is not enough memory; try a smaller problem";
    } catch (std::exception const& e) {
        line = e.what();
    }
    return exit_status::tool_failed;
}

// A row of a table with two columns. The first column is as wide as its longest text.
struct row {
    std::string name;
    std::string_view meaning;
};
std::string format_rows(std::vector<row> const& rows) {
    std::size_t width = 0;
    for (auto const& row : rows) width = std::max(width, row.name.size());
    std::string text;
    for (auto const& row : rows) {
        text += "  " + padded(row.name, width + 2) + std::string(row.meaning) + "\n";
    }
    return text;
}

// An option with what follows it, and its meaning: "--device gpu|host".
row row_of(option const& option) {
    auto const value = (option.value.empty() ? "" : " ") + std::string(option.value);
    return {std::string(option.name) + value, option.meaning};
}

} // namespace

std::span<subcommand const> subcommands() {
    static subcommand const known[] = {doctor(),      list(),       show(),        run_trial(),
                                       run_python(),  tune(),       pack_build(),  pack_list(),
                                       pack_verify(), cache_list(), cache_clear(), cache_verify(),
                                       draw(),        completion(), version()};
    return known;
}

std::string help() {
    std::vector<row> rows;
    for (auto const& known : subcommands()) {
        rows.push_back({std::string(known.name), known.summary});
    }
    return "spio runs, checks, tunes and packs GPU kernels, on a GPU or simulated on the host.\n"
           "\n"
           "usage: spio SUBCOMMAND [WORD...] [OPTION...]\n"
           "\n" +
           format_rows(rows) + R"(
Begin with these:
  spio doctor                                   examine this machine
  spio list                                     list the families of kernels
  spio run axpby n=1000000 --check              run one of them, with or without a GPU
  spio show layernorm_2d channels=64            show the kernel of a problem

'spio SUBCOMMAND --help' describes a subcommand. Results are written to the standard output, all
other messages to the standard error. The exit status is
  0  done, and every check passed
  1  a check failed: of results, a pack, the cache, this machine
  2  the command line was not understood, or no kernel supports such a problem
  3  something was not found: a file, a device, a compiler, a kernel's image
  4  a tool failed: the driver, a compiler, the memory
  5  the output could not be written
)";
}

std::string help(subcommand const& asked) {
    auto const name = std::string(asked.name);
    auto text = "spio " + name + ": " + std::string(asked.summary) + "\n\nusage: spio " + name;
    if (!asked.operands.empty()) text += " " + std::string(asked.operands);
    std::vector<row> rows;
    for (auto const& option : asked.options) {
        rows.push_back(row_of(option));
        text += " [" + rows.back().name + (option.repeats ? "]..." : "]");
    }
    rows.push_back(row_of(help_option));
    text += "\n\n";
    if (!asked.details.empty()) text += std::string(asked.details) + "\n";
    return text + format_rows(rows);
}

exit_status run(std::span<std::string_view const> words, io const& io) {
    try {
        auto const args = parse_arguments(words, subcommands());
        if (!args.wants_help) return args.subcommand->run(args, io);
        io.print(args.subcommand == nullptr ? help() : help(*args.subcommand));
        return exit_status::success;
    } catch (...) {
        std::string line;
        auto const status = status_of_exception(line);
        io.tell("spio: " + printable(line) + "\n");
        return status;
    }
}

void print_result(arguments const& args, io const& io, json const& json, std::string const& text) {
    io.print(args.has(json_option.name) ? json.text() + "\n" : printable(text));
}

void write_output(std::string const& path, std::string_view bytes) {
    // write_file() would make the folder, whose name may be a mistake.
    if (!std::filesystem::is_directory(std::filesystem::absolute(path).parent_path())) {
        throw failure(exit_status::not_written,
                      quote(path) + " could not be written: its folder does not exist");
    }
    try {
        write_file(path, bytes);
    } catch (spio::error const& e) {
        throw failure(exit_status::not_written,
                      quote(path) + " could not be written: " + e.reason());
    }
}

family const& family_named(std::string_view name) {
    std::vector<std::string_view> names;
    for (auto const& family : families()) {
        if (family.name == name) return family;
        names.push_back(family.name);
    }
    throw failure(exit_status::usage, "there is no family " + quote(name) +
                                          suggestion(name, names) + "; 'spio list' tells all");
}

config_source tuned_configs(arguments const& args) {
    config_source configs;
    if (!args.has(tuned_option.name)) return configs;
    auto const file = args.value(tuned_option.name);
    auto const table = tuned::read(file);
    if (table.empty()) {
        throw failure(exit_status::not_found, quote(file) + " has no configurations; 'spio tune "
                                                            "--file FILE' writes some");
    }
    configs.add(config_origin::tuned, tuned::finder_of(table, /*gpu=*/""));
    return configs;
}

std::string problem_words(arguments const& args) {
    constexpr std::size_t longest = 256;
    std::string text;
    for (auto const& word : std::span(args.operands).subspan(1)) {
        if (word.size() > longest) {
            throw failure(exit_status::usage, quote(word) + " is too long for a KEY=VALUE");
        }
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

} // namespace spio::command
