// The command line: subcommands and their arguments, input and output, exit statuses, and text.
// SPDX-License-Identifier: Apache-2.0
//
// An operand is a word that is no option. A failure is an error with the exit status of the
// program. A text from outside may have control characters, by which a terminal can be steered:
// quote() and the others print none.
module;

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

export module spio.command_line;

import spio.cuda;

export namespace spio::command {

// The text in quotes, on one line, and cut if it is long: 'an unknown wo…'
std::string quote(std::string_view text);

// The known word that is the fewest changes away; empty if none is near.
std::string_view nearest(std::string_view word, std::span<std::string_view const> known);
// " (did you mean 'list'?)", or nothing.
std::string suggestion(std::string_view word, std::span<std::string_view const> known);

// "1.25 MB", "640 bytes"
std::string format_bytes(std::uint64_t bytes);
// "12.3 ms", "4.51 us"
std::string format_milliseconds(double milliseconds);
// The number with `digits` significant digits.
std::string format_number(double number, int digits = 3);
// "1 image", "3 images"
std::string format_count(std::uint64_t count, std::string_view noun);
// "a, b or c"; `last` stands before the last word
std::string format_list(std::span<std::string_view const> words, std::string_view last = " or ");
// The text padded with blanks to `width` characters; a text that is not shorter gets one blank.
std::string padded(std::string text, std::size_t width);

enum class exit_status {
    success = 0,
    check_failed = 1, // results, kernels, packs, entries or a machine that are not as they should
    usage = 2,
    not_found = 3, // a file, a device, a compiler, an image
    tool_failed = 4,
    not_written = 5,
};

// Ends the command with one line: what was tried, why it did not work, what to do.
class failure : public std::runtime_error {
  public:
    failure(exit_status status, std::string const& line)
        : std::runtime_error(line), status_value(status) {}
    exit_status status() const { return status_value; }

  private:
    exit_status status_value;
};

// What the command reads and writes.
struct io {
    // print writes results (standard output); tell writes all other messages (standard error).
    std::function<void(std::string_view)> print;
    std::function<void(std::string_view)> tell;
    // Whether a person reads what tell writes; progress is shown only then.
    bool is_interactive = false;
    std::function<std::unique_ptr<cuda::driver>()> open_driver;
    // The path of the running program; empty if it is unknown.
    std::filesystem::path program = {};
    // The bytes of memory that a problem may take; 0 for all of this machine's.
    std::uint64_t memory_bytes = 0;
};

// Shows a person what is being done, for as long as this object lives.
class progress {
  public:
    progress(io const& io, std::string const& text);
    progress(progress const&) = delete;
    ~progress();

  private:
    io const& terminal;
    std::size_t width = 0;
};

// The words that a value may be: of "gpu|host" they are "gpu" and "host". A word with capitals,
// such as "FILE", stands for any value, and is left out.
std::vector<std::string_view> choices_in(std::string_view alternatives);

struct option {
    std::string_view name;    // "--device"
    std::string_view value;   // what follows it: "FILE", "gpu|host"; empty if nothing does
    std::string_view meaning; // a few words
    bool repeats = false;

    std::vector<std::string_view> choices() const { return choices_in(value); }
};

inline constexpr option help_option = {"--help", "", "say what this does, and end"};

// A subcommand: how its help describes it, what may follow it, and the function that does it.
class arguments;

struct subcommand {
    std::string_view name;          // "pack verify"
    std::string_view operands = {}; // "FILE..."
    std::string_view summary = {};  // a few words
    std::string_view details = {};  // whole sentences, and examples
    std::vector<option> options = {};
    unsigned least_operands = 0, most_operands = 0;
    exit_status (*run)(arguments const&, io const&) = nullptr;
};

// The words of one call, parsed.
class arguments {
  public:
    command::subcommand const* subcommand = nullptr; // null: help for the whole command
    bool wants_help = false;
    std::vector<std::string> operands;

    bool has(std::string_view option) const { return options.contains(option); }
    // The value of an option, the last one if it was given several times, or `otherwise` if it was
    // not given.
    std::string value(std::string_view option, std::string_view otherwise = "") const;
    // The value of an option as a whole number. Any other value is a usage failure.
    unsigned number(std::string_view option, std::string_view otherwise) const;
    // All values of an option that may be given several times.
    std::vector<std::string> values(std::string_view option) const;

    void add(std::string_view option, std::vector<std::string> values) {
        options.emplace(option, std::move(values));
    }

  private:
    std::map<std::string, std::vector<std::string>, std::less<>> options;
};

// Parses the words of a call. Options may stand anywhere; a value follows after = or as the next
// word. After -- there are only operands. A wrong word is a usage failure, which suggests the
// nearest known word.
arguments parse_arguments(std::span<std::string_view const> words,
                          std::span<subcommand const> known);

// Parses a whole number that fits into unsigned. Other text is a usage failure that calls the value
// `name`.
unsigned parse_number(std::string_view text, std::string_view name);

} // namespace spio::command
