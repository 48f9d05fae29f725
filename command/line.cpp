// Reads the command's line.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

module spio.command_line;

namespace spio::command {

namespace {

constexpr std::size_t longest_word = 4096;

[[noreturn]] void refuse(std::string const& why, subcommand const* in = nullptr) {
    auto const where = in == nullptr ? "spio --help" : "spio " + std::string(in->name) + " --help";
    throw failure(exit_code::usage, why + "; '" + where + "' tells more");
}

// The first words of names that go on after what is there.
std::vector<std::string_view> words_after(std::string_view begun,
                                          std::span<subcommand const> known) {
    std::vector<std::string_view> all;
    for (auto const& each : known) {
        auto name = each.name;
        if (!begun.empty()) {
            if (!name.starts_with(begun) || name.substr(begun.size(), 1) != " ") continue;
            name.remove_prefix(begun.size() + 1);
        }
        auto const word = name.substr(0, name.find(' '));
        if (std::ranges::find(all, word) == all.end()) all.push_back(word);
    }
    return all;
}

std::string listed(std::span<std::string_view const> words) {
    std::string all;
    for (std::size_t i = 0; i < words.size(); ++i) {
        all += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
        all += words[i];
    }
    return all;
}

class reader {
  public:
    reader(std::span<std::string_view const> words, std::span<subcommand const> all)
        : rest(words), known(all) {}

    line read() {
        while (!rest.empty()) {
            auto const word = next();
            if (word.size() > longest_word) {
                refuse(in_quotes(word) + " is a word of " + counted(word.size(), "byte") +
                           ", which is too long",
                       got.is);
            }
            if (only_operands || word == "-" || !word.starts_with('-')) {
                take_name_or_operand(word);
            } else if (word == "--") {
                only_operands = true;
            } else {
                take_option(word);
            }
        }
        if (!got.asks_for_help) expect_enough();
        return got;
    }

  private:
    std::span<std::string_view const> rest;
    std::span<subcommand const> known;
    std::string begun; // of the subcommand's name
    bool only_operands = false;
    line got;

    std::string_view next() {
        auto const word = rest.front();
        rest = rest.subspan(1);
        return word;
    }

    void take_name_or_operand(std::string_view word) {
        if (got.is != nullptr) {
            if (got.operands.size() == got.is->most_operands) {
                refuse(in_quotes(word) + " is one word too many", got.is);
            }
            got.operands.push_back(word);
            return;
        }
        auto const possible = words_after(begun, known);
        if (std::ranges::find(possible, word) == possible.end()) {
            auto const what = begun.empty() ? "there is no subcommand " + in_quotes(word)
                                            : in_quotes(begun) + " has no " + in_quotes(word);
            refuse(what + suggestion(word, possible));
        }
        begun += (begun.empty() ? "" : " ") + std::string(word);
        auto const found = std::ranges::find(known, begun, &subcommand::name);
        if (found != known.end()) got.is = &*found;
    }

    void take_option(std::string_view word) {
        auto const equals = std::min(word.find('='), word.size());
        auto const name = word.substr(0, equals);
        if (word == "-h" || name == help_option.name) {
            if (equals != word.size()) refuse(in_quotes(name) + " takes no value", got.is);
            got.asks_for_help = true;
            return;
        }
        if (got.is == nullptr && name == "--version") {
            auto const found = std::ranges::find(known, "version", &subcommand::name);
            if (begun.empty() && found != known.end()) {
                got.is = &*found;
                return;
            }
        }
        if (got.is == nullptr) {
            refuse(begun.empty()
                       ? "a subcommand comes before " + in_quotes(word)
                       : in_quotes(begun) + " is followed by " + listed(words_after(begun, known)) +
                             ", not by " + in_quotes(word));
        }
        auto const& options = got.is->options;
        auto const found = std::ranges::find(options, name, &option::name);
        if (found == options.end()) refuse_option(name);
        if (!found->repeats && got.has(found->name))
            refuse(in_quotes(name) + " is there twice", got.is);
        std::string_view value;
        if (found->value.empty()) {
            if (equals != word.size()) refuse(in_quotes(name) + " takes no value", got.is);
        } else if (equals != word.size()) {
            value = word.substr(equals + 1);
        } else if (!rest.empty()) {
            value = next();
        }
        if (!found->value.empty() && value.empty()) {
            refuse(in_quotes(name) + " needs a value: " + std::string(found->value), got.is);
        }
        if (value.size() > longest_word) {
            refuse("the value of " + in_quotes(name) + " is too long", got.is);
        }
        got.add(found->name, value);
    }

    [[noreturn]] void refuse_option(std::string_view name) {
        std::vector<std::string_view> names = {help_option.name};
        for (auto const& each : got.is->options) names.push_back(each.name);
        refuse(in_quotes(got.is->name) + " has no option " + in_quotes(name) +
                   suggestion(name, names),
               got.is);
    }

    void expect_enough() const {
        if (got.is == nullptr) {
            refuse(begun.empty() ? "nothing is asked for"
                                 : in_quotes(begun) + " needs one more word: " +
                                       listed(words_after(begun, known)));
        }
        if (got.operands.size() < got.is->least_operands) {
            refuse(in_quotes(got.is->name) + " needs " + std::string(got.is->operands), got.is);
        }
    }
};

} // namespace

std::string subcommand::usage() const {
    auto text = "spio " + std::string(name);
    if (!operands.empty()) text += " " + std::string(operands);
    for (auto const& each : options) {
        text += " [" + std::string(each.name);
        if (!each.value.empty()) text += " " + std::string(each.value);
        text += each.repeats ? "]..." : "]";
    }
    return text;
}

std::string_view line::value(std::string_view option, std::string_view otherwise) const {
    auto const found = given.find(option);
    return found == given.end() ? otherwise : found->second.back();
}

std::vector<std::string_view> line::values(std::string_view option) const {
    auto const found = given.find(option);
    return found == given.end() ? std::vector<std::string_view>() : found->second;
}

line read_line(std::span<std::string_view const> words, std::span<subcommand const> known) {
    return reader(words, known).read();
}

} // namespace spio::command
