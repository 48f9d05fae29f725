// Teaches shells the command's words.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.command;

namespace spio::command {

namespace {

// What may come after some words, options aside.
struct context {
    std::string begun; // "", "pack", "run axpby"
    std::vector<std::string> words = {};
    bool takes_files = false;

    std::string joined() const {
        std::string text;
        for (auto const& each : words) text += (text.empty() ? "" : " ") + each;
        return text;
    }
};

context& context_of(std::vector<context>& all, std::string const& begun) {
    auto const found = std::ranges::find(all, begun, &context::begun);
    return found != all.end() ? *found : all.emplace_back(context{begun});
}

void add(context& to, std::string_view word) {
    if (std::ranges::find(to.words, word) == to.words.end()) to.words.emplace_back(word);
}

// The most words first, so that the first that fits is the right one.
std::vector<context> contexts() {
    std::vector<context> all = {{""}};
    for (auto const& each : subcommands()) {
        auto const blank = each.name.find(' ');
        auto const first = std::string(each.name.substr(0, blank));
        add(context_of(all, ""), first);
        if (blank != each.name.npos) add(context_of(all, first), each.name.substr(blank + 1));
        context own = {std::string(each.name)};
        for (auto const& option : each.options) add(own, option.name);
        add(own, help_option.name);
        own.takes_files = each.operands == "FILE..." || each.operands == "MANIFEST";
        if (each.operands.starts_with("FAMILY")) {
            for (auto const& family : trial_families()) {
                context with_family = own;
                with_family.begun += " " + std::string(family.name);
                for (auto const& field : family.fields()) add(with_family, field.name + "=");
                all.push_back(with_family);
            }
            for (auto const& family : trial_families()) add(own, family.name);
        }
        if (each.operands == "bash|zsh|fish") {
            for (auto const* const shell : {"bash", "zsh", "fish"}) add(own, shell);
        }
        all.push_back(own);
    }
    add(context_of(all, ""), help_option.name);
    std::ranges::sort(all, std::greater(), [](context const& each) {
        return std::pair(std::ranges::count(each.begun, ' '), each.begun);
    });
    return all;
}

std::string bash_script() {
    std::string text = R"(# Completes the words of spio in bash: source <(spio completion bash)
_spio() {
    local word=${COMP_WORDS[COMP_CWORD]} begun= known= files= each
    for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $each == -* ]] || begun+="$each "
    done
    case $begun in
)";
    for (auto const& each : contexts()) {
        text += "    '" + each.begun + (each.begun.empty() ? "'" : " '*") + ") known='" +
                each.joined() + "'" + (each.takes_files ? " files=1" : "") + " ;;\n";
    }
    return text + R"(    esac
    COMPREPLY=($(compgen -W "$known" -- "$word"))
    if [[ $files && $word != -* ]]; then
        compopt -o filenames
        COMPREPLY+=($(compgen -f -- "$word"))
    fi
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -F _spio spio
)";
}

std::string zsh_script() {
    std::string text = R"(#compdef spio
# Completes the words of spio in zsh: source <(spio completion zsh)
_spio() {
    local begun= each files=
    local -a known
    for each in ${words[2,CURRENT-1]}; do
        [[ $each == -* ]] || begun+="$each "
    done
    case $begun in
)";
    for (auto const& each : contexts()) {
        text += "    '" + each.begun + (each.begun.empty() ? "'" : " '*") + ") known=(" +
                each.joined() + ")" + (each.takes_files ? " files=1" : "") + " ;;\n";
    }
    return text + R"(    esac
    compadd -- ${known:#*=}
    compadd -S '' -- ${(M)known:#*=}
    if [[ -n $files ]]; then _files; fi
}
if [[ $funcstack[1] == _spio ]]; then _spio "$@"; else compdef _spio spio; fi
)";
}

std::string fish_script() {
    std::string text = R"(# Completes the words of spio in fish: spio completion fish | source
function __spio_known
    set -l begun
    for each in (commandline -opc)[2..]
        string match -q -- '-*' $each; or set begun "$begun$each "
    end
    switch "$begun"
)";
    for (auto const& each : contexts()) {
        text += "        case '" + each.begun + (each.begun.empty() ? "'" : " *'") +
                "\n            string split ' ' -- '" + each.joined() + "'\n";
        if (each.takes_files) text += "            __fish_complete_path (commandline -ct)\n";
    }
    return text + R"(    end
end
complete -c spio -f -a '(__spio_known)'
)";
}

} // namespace

subcommand completion() {
    return {.name = "completion",
            .operands = "bash|zsh|fish",
            .summary = "a script by which a shell completes these words",
            .lesson = "  source <(spio completion bash)     in ~/.bashrc\n"
                      "  source <(spio completion zsh)      in ~/.zshrc, after compinit\n"
                      "  spio completion fish | source      in ~/.config/fish/config.fish\n",
            .least_operands = 1,
            .most_operands = 1,
            .run = [](line const& asked, surroundings const& around) {
                auto const shell = asked.operands.front();
                constexpr std::string_view shells[] = {"bash", "zsh", "fish"};
                if (std::ranges::find(shells, shell) == std::end(shells)) {
                    throw failure(exit_code::usage, "there is no script for " + in_quotes(shell) +
                                                        suggestion(shell, shells) +
                                                        "; there is one for bash, zsh and fish");
                }
                around.print(shell == "bash"  ? bash_script()
                             : shell == "zsh" ? zsh_script()
                                              : fish_script());
                return exit_code::success;
            }};
}

} // namespace spio::command
