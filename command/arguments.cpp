// Parses the words of the command line with CLI11, and suggests the nearest known word.
// SPDX-License-Identifier: Apache-2.0
//
// Each subcommand declares its options and how many operands it takes; CLI11 reads the words by
// these declarations. A mistake ends with one line that says what was wrong. A pack is a file of
// compiled kernels.
module;

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

module spio.command_line;

namespace spio::command {

namespace {

// Throws a usage failure whose message ends with a pointer to the help of the subcommand `asked`,
// or to that of the whole command.
[[noreturn]] void refuse(std::string const& reason, subcommand const* asked = nullptr) {
    auto const help = "spio " + (asked == nullptr ? "" : std::string(asked->name) + " ") + "--help";
    throw failure(exit_status::usage, reason + "; '" + help + "' tells more");
}

// The names of an app's subcommands.
std::vector<std::string> names_in(CLI::App const& app) {
    std::vector<std::string> names;
    for (auto const* child : app.get_subcommands({})) names.push_back(child->get_name());
    return names;
}

// Returns the subcommand `name` of `app`; adds it if there is none.
CLI::App* child_of(CLI::App& app, std::string const& name) {
    for (auto* const child : app.get_subcommands({})) {
        if (child->get_name() == name) return child;
    }
    return app.add_subcommand(name);
}

// Declares all subcommands. "pack list" becomes the subcommand `list` of the subcommand `pack`.
void declare(CLI::App& root, std::span<subcommand const> known) {
    for (auto const& each : known) {
        auto* app = &root;
        for (auto const& word : CLI::detail::split(std::string(each.name), ' ')) {
            app->require_subcommand(0, 1);
            app = child_of(*app, word);
            app->set_help_flag("-h,--help")->disable_flag_override();
            app->allow_extras();
        }
        for (auto const& option : each.options) {
            auto const name = std::string(option.name);
            if (option.value.empty()) {
                app->add_flag(name)->disable_flag_override();
            } else {
                auto* const declared = app->add_option(name)->type_name(std::string(option.value));
                if (option.repeats) declared->take_all();
            }
        }
    }
}

// The innermost subcommand that the words name, and its full name, such as "pack list". The search
// stops at a subcommand to which CLI11 has left words that it could not parse.
struct selection {
    CLI::App const* app;
    std::string name;
};
selection selected_in(CLI::App const& root) {
    selection found = {&root, ""};
    while (!found.app->get_subcommands().empty() && found.app->remaining().empty()) {
        found.app = found.app->get_subcommands().front();
        found.name += (found.name.empty() ? "" : " ") + found.app->get_name();
    }
    return found;
}

// Reports a wrong or missing word after the name of a group of subcommands, such as "pack", or
// after "spio" itself (a group without a name).
[[noreturn]] void refuse_group(selection const& group) {
    auto const names = names_in(*group.app);
    std::vector<std::string_view> const known(names.begin(), names.end());
    auto const words = group.app->remaining();
    auto const name = quote(group.name);
    if (words.empty()) {
        refuse(group.name.empty() ? "nothing is asked for"
                                  : name + " needs one more word: " + format_list(known));
    }
    auto const word = quote(words.front());
    if (words.front().starts_with('-')) {
        refuse(group.name.empty()
                   ? "a subcommand comes before " + word
                   : name + " is followed by " + format_list(known) + ", not by " + word);
    }
    refuse((group.name.empty() ? "there is no subcommand " + word : name + " has no " + word) +
           suggestion(words.front(), known));
}

// Reports too few or too many values of an option, for which CLI11 says "--device: 1 required
// gpu|host missing" or "--device: At Most 1 required but received 2", or a value of a flag.
[[noreturn]] void refuse_values(std::string const& words, subcommand const* asked) {
    constexpr std::string_view no_value = " was given a disallowed flag override";
    if (words.ends_with(no_value)) {
        refuse("--" + words.substr(0, words.size() - no_value.size()) + " takes no value", asked);
    }
    auto const name = words.substr(0, words.find(':'));
    bool const is_missing = words.ends_with(" missing");
    if (asked != nullptr) {
        auto const found = std::ranges::find(asked->options, name, &option::name);
        if (found != asked->options.end()) {
            refuse(name + (is_missing ? " needs a value: " + std::string(found->value)
                                      : " is given more than once"),
                   asked);
        }
    }
    refuse(words, asked);
}

// Reports an option that `asked` does not have.
[[noreturn]] void refuse_option(subcommand const& asked, std::string_view word) {
    auto const name = word.substr(0, word.find('='));
    std::vector<std::string_view> names = {help_option.name};
    for (auto const& option : asked.options) names.push_back(option.name);
    refuse(quote(asked.name) + " has no option " + quote(name) + suggestion(name, names), &asked);
}

// Refuses a value that is not among the option's choices. If one of the alternatives is a
// placeholder such as FILE, any value is accepted.
void expect_choice(subcommand const& asked, option const& option, std::string_view value) {
    auto const choices = option.choices();
    auto const alternatives = std::ranges::count(option.value, '|') + 1;
    if (choices.size() < static_cast<std::size_t>(alternatives)) return;
    if (std::ranges::find(choices, value) != choices.end()) return;
    refuse(std::string(option.name) + " is " + quote(value) + suggestion(value, choices) +
               ", but must be " + format_list(choices),
           &asked);
}

} // namespace

arguments parse_arguments(std::span<std::string_view const> words,
                          std::span<subcommand const> known) {
    // `reversed` is the order that CLI11 parses. Two workarounds for CLI11 2.1: it hands the words
    // after -- to an outer subcommand, so they are cut off here; and for `--seed=` it takes the
    // next word as the value, so that is refused here.
    auto const end = std::ranges::find(words, "--");
    auto const unfinished = std::find_if(words.begin(), end, [](std::string_view word) {
        return word.starts_with("--") && word.find('=') == word.size() - 1;
    });
    if (unfinished != end) refuse(quote(*unfinished) + " needs a value after the =");
    std::vector<std::string> reversed(std::reverse_iterator(end), words.rend());
    CLI::App root;
    declare(root, known);
    root.set_help_flag("-h,--help")->disable_flag_override();
    root.set_version_flag("--version", "")->disable_flag_override();
    root.allow_extras();

    arguments args;
    auto const find = [&](std::string_view name) {
        auto const found = std::ranges::find(known, name, &subcommand::name);
        return found == known.end() ? nullptr : &*found;
    };
    try {
        root.parse(reversed);
    } catch (CLI::CallForHelp const&) {
        args.wants_help = true;
    } catch (CLI::CallForVersion const&) {
        args.subcommand = find("version");
        if (args.subcommand != nullptr) return args;
    } catch (CLI::Error const& e) {
        refuse_values(e.what(), find(selected_in(root).name));
    }
    auto const selected = selected_in(root);
    args.subcommand = find(selected.name);
    if (args.wants_help) return args;
    if (args.subcommand == nullptr) refuse_group(selected);

    auto const& asked = *args.subcommand;
    for (auto const& word : selected.app->remaining()) {
        if (word.size() > 1 && word.starts_with('-')) refuse_option(asked, word);
        args.operands.push_back(word);
    }
    if (end != words.end()) args.operands.insert(args.operands.end(), end + 1, words.end());
    if (args.operands.size() < asked.least_operands) {
        refuse(quote(asked.name) + " needs " + std::string(asked.operands), &asked);
    }
    if (args.operands.size() > asked.most_operands) {
        refuse(quote(args.operands[asked.most_operands]) + " is one word too many", &asked);
    }
    for (auto const& option : asked.options) {
        auto const* const parsed = selected.app->get_option(std::string(option.name));
        if (parsed->count() == 0) continue;
        for (auto const& value : parsed->results()) expect_choice(asked, option, value);
        args.add(option.name, parsed->results());
    }
    return args;
}

std::string arguments::value(std::string_view option, std::string_view otherwise) const {
    auto const found = options.find(option);
    return found == options.end() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> arguments::values(std::string_view option) const {
    auto const found = options.find(option);
    return found == options.end() ? std::vector<std::string>() : found->second;
}

unsigned arguments::number(std::string_view option, std::string_view otherwise) const {
    return parse_number(value(option, otherwise), option);
}

// The number in a text, of the option or operand `name`; anything else is a usage failure.
unsigned parse_number(std::string_view text, std::string_view name) {
    unsigned number = 0;
    auto const last = text.data() + text.size();
    auto const [end, status] = std::from_chars(text.data(), last, number);
    if (status == std::errc() && end == last) return number;
    throw failure(exit_status::usage, std::string(name) + " is " + quote(text) +
                                          ", but must be a whole number from 0 to 4294967295");
}

std::vector<std::string_view> choices_in(std::string_view alternatives) {
    std::vector<std::string_view> words;
    for (auto rest = alternatives; !rest.empty();) {
        auto const word = rest.substr(0, rest.find('|'));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        // A word with capitals, such as FILE, is a placeholder and not a choice.
        if (std::ranges::none_of(word, [](unsigned char c) { return std::isupper(c); })) {
            words.push_back(word);
        }
    }
    return words;
}

progress::progress(io const& io, std::string const& text) : terminal(io) {
    if (!terminal.is_interactive) return;
    width = text.size();
    terminal.tell(text);
}

progress::~progress() {
    if (width > 0) terminal.tell("\r" + std::string(width, ' ') + "\r");
}

} // namespace spio::command
