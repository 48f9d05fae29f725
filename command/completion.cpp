// Writes scripts by which shells complete the command's words.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation, such as conv2d. A context is a line as far as it has
// been typed, and the words that may come next; the script of each shell is made from the list of
// all contexts. A pack is a file of compiled kernels.
module;

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.command;

namespace spio::command {

namespace {

// The words that may come next once the words in `start`, options left out, have been typed.
struct context {
    std::string start; // "", "pack", "run axpby"
    std::vector<std::string> words = {};
    bool takes_files = false;

    void add(std::string_view word) {
        if (std::ranges::find(words, word) == words.end()) words.emplace_back(word);
    }
    std::string joined() const {
        std::string text;
        for (auto const& word : words) text += (text.empty() ? "" : " ") + word;
        return text;
    }
};

// The context whose start is `start`; adds an empty one if there is none.
context& context_of(std::vector<context>& contexts, std::string const& start) {
    auto const found = std::ranges::find(contexts, start, &context::start);
    return found != contexts.end() ? *found : contexts.emplace_back(context{start});
}

// Adds "name=" for a field, or "name=value" for each value if its values are known words.
void add_field(context& context, field_description const& field) {
    if (field.choices.empty()) context.add(field.name + "=");
    for (auto const choice : field.choices) context.add(field.name + "=" + std::string(choice));
}

// All contexts, those whose start has the most words first, so that the first match in a shell's
// case statement is the most specific.
std::vector<context> all_contexts() {
    std::vector<context> contexts = {{""}};
    for (auto const& known : subcommands()) {
        auto const blank = known.name.find(' ');
        auto const first = std::string(known.name.substr(0, blank));
        context_of(contexts, /*start=*/"").add(first);
        if (blank != known.name.npos) context_of(contexts, first).add(known.name.substr(blank + 1));
        context own = {std::string(known.name)};
        for (auto const& option : known.options) own.add(option.name);
        own.add(help_option.name);
        own.takes_files = known.operands == "FILE..." || known.operands == "MANIFEST";
        if (known.operands.starts_with("FAMILY")) {
            for (auto const& family : trial_families()) {
                auto with_family = own;
                with_family.start += " " + std::string(family.name);
                for (auto const& field : family.fields()) add_field(with_family, field);
                contexts.push_back(with_family);
            }
            for (auto const& family : trial_families()) own.add(family.name);
        }
        for (auto const word : choices_in(known.operands)) own.add(word);
        contexts.push_back(own);
    }
    context_of(contexts, /*start=*/"").add(help_option.name);
    std::ranges::sort(contexts, std::greater(), [](context const& context) {
        return std::pair(std::ranges::count(context.start, ' '), context.start);
    });
    return contexts;
}

// A context for each option whose value is one of known words, or a file or folder.
std::vector<context> value_contexts() {
    std::vector<context> contexts;
    for (auto const& known : subcommands()) {
        for (auto const& option : known.options) {
            auto& context = context_of(contexts, std::string(option.name));
            for (auto const choice : option.choices()) context.add(choice);
            context.takes_files = option.value == "FILE" || option.value == "FOLDER";
        }
    }
    std::erase_if(contexts, [](context const& c) { return c.words.empty() && !c.takes_files; });
    return contexts;
}

// Shell text that finds the words already typed, and lists those of the matching context.
std::string bash_script() {
    std::string text = R"(# Completes the words of spio in bash: source <(spio completion bash)
_spio() {
    local line=${COMP_LINE:0:${COMP_POINT:-0}} part=${COMP_WORDS[COMP_CWORD]}
    local word start= known= files= each previous=
    # bash breaks words at =, and here they are whole.
    word=${line##* }
    [[ $line ]] || word=$part line=${COMP_WORDS[*]:0:COMP_CWORD+1}
    for each in ${line% *}; do
        [[ $previous && $each != -* ]] && start+="$each "
        previous=$each
    done
    case $previous in
)";
    for (auto const& context : value_contexts()) {
        text += "    " + context.start + ") known='" + context.joined() + "'" +
                (context.takes_files ? " files=1" : "") + " start=- ;;\n";
    }
    text += "    esac\n    case $start in\n    -) ;;\n";
    for (auto const& context : all_contexts()) {
        text += "    '" + context.start + (context.start.empty() ? "'" : " '*") + ") known='" +
                context.joined() + "'" + (context.takes_files ? " files=1" : "") + " ;;\n";
    }
    return text + R"(    esac
    COMPREPLY=($(compgen -W "$known" -- "$word"))
    if [[ $files && $word != -* ]]; then
        compopt -o filenames
        COMPREPLY+=($(compgen -f -- "$word"))
    fi
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
    # Only what follows the last = is replaced.
    if [[ $word == *=* && $part != "$word" ]]; then COMPREPLY=("${COMPREPLY[@]#*=}"); fi
}
complete -F _spio spio
)";
}

// The same for zsh, which breaks no words at =.
std::string zsh_script() {
    std::string text = R"(#compdef spio
# Completes the words of spio in zsh: source <(spio completion zsh)
_spio() {
    local start= each files=
    local -a known
    for each in ${words[2,CURRENT-1]}; do
        [[ $each == -* ]] || start+="$each "
    done
    case $start in
)";
    for (auto const& context : all_contexts()) {
        text += "    '" + context.start + (context.start.empty() ? "'" : " '*") + ") known=(" +
                context.joined() + ")" + (context.takes_files ? " files=1" : "") + " ;;\n";
    }
    return text + R"(    esac
    compadd -- ${known:#*=}
    compadd -S '' -- ${(M)known:#*=}
    if [[ -n $files ]]; then _files; fi
}
if [[ $funcstack[1] == _spio ]]; then _spio "$@"; else compdef _spio spio; fi
)";
}

// The same for fish.
std::string fish_script() {
    std::string text = R"(# Completes the words of spio in fish: spio completion fish | source
function __spio_known
    set -l start
    for each in (commandline -opc)[2..]
        string match -q -- '-*' $each; or set start "$start$each "
    end
    switch "$start"
)";
    for (auto const& context : all_contexts()) {
        text += "        case '" + context.start + (context.start.empty() ? "'" : " *'") +
                "\n            string split ' ' -- '" + context.joined() + "'\n";
        if (context.takes_files) text += "            __fish_complete_path (commandline -ct)\n";
    }
    return text + R"(    end
end
complete -c spio -f -a '(__spio_known)'
)";
}

exit_status run_completion(arguments const& args, io const& io) {
    auto const& shell = args.operands.front();
    auto const shells = choices_in(args.subcommand->operands);
    if (std::ranges::find(shells, shell) == shells.end()) {
        throw failure(exit_status::usage, "there is no script for " + quote(shell) +
                                              suggestion(shell, shells) +
                                              "; there is one for bash, zsh and fish");
    }
    io.print(shell == "bash" ? bash_script() : shell == "zsh" ? zsh_script() : fish_script());
    return exit_status::success;
}

} // namespace

subcommand completion() {
    return {.name = "completion",
            .operands = "bash|zsh|fish",
            .summary = "print a script by which a shell completes these words",
            .details = "  source <(spio completion bash)     in ~/.bashrc\n"
                       "  source <(spio completion zsh)      in ~/.zshrc, after compinit\n"
                       "  spio completion fish | source      in ~/.config/fish/config.fish\n",
            .least_operands = 1,
            .most_operands = 1,
            .run = run_completion};
}

} // namespace spio::command
