// The command's line: the subcommands there are, and what one is given.
// SPDX-License-Identifier: Apache-2.0
module;

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.command_line:line;

import :failure;
import :surroundings;

export namespace spio::command {

struct option {
    std::string_view name;    // "--device"
    std::string_view value;   // what follows it: "FILE", "gpu|host"; empty: nothing does
    std::string_view meaning; // a few words
    bool repeats = false;
};

class line;

struct subcommand {
    std::string_view name;          // "pack verify"
    std::string_view operands = {}; // "FILE..."
    std::string_view summary = {};  // a few words
    std::string_view lesson = {};   // what else is to be known, and examples
    std::vector<option> options = {};
    unsigned least_operands = 0, most_operands = 0;
    exit_code (*run)(line const&, surroundings const&) = nullptr;

    std::string usage() const; // "spio pack verify FILE... [OPTION...]"
};

// Options that all subcommands have.
inline constexpr option help_option = {"--help", "", "say what this does, and end"};

// What stands on the line, read and in order.
class line {
  public:
    subcommand const* is = nullptr; // null: help for the whole command is asked for
    std::vector<std::string_view> operands;
    bool asks_for_help = false;

    bool has(std::string_view option) const { return given.contains(option); }
    // The last one, or what stands for none.
    std::string_view value(std::string_view option, std::string_view otherwise = {}) const;
    std::vector<std::string_view> values(std::string_view option) const;

    void add(std::string_view option, std::string_view value) { given[option].push_back(value); }

  private:
    std::map<std::string_view, std::vector<std::string_view>> given;
};

// Options may stand anywhere, their values after a = or as the next word; after -- there are only
// operands. What is wrong is a failure of usage, which names the nearest word that is known.
line read_line(std::span<std::string_view const> words, std::span<subcommand const> known);

} // namespace spio::command
