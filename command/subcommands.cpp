// Lists the subcommands, and runs the one that is asked for.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>
#include <string>
#include <string_view>

module spio.command;

namespace spio::command {

subcommand cache_clear();
subcommand cache_list();
subcommand cache_verify();
subcommand completion();
subcommand doctor();
subcommand list();
subcommand pack_build();
subcommand pack_list();
subcommand pack_verify();
subcommand run_trial();
subcommand show();
subcommand version();

std::span<subcommand const> subcommands() {
    static subcommand const all[] = {doctor(),      list(),         show(),        run_trial(),
                                     pack_build(),  pack_list(),    pack_verify(), cache_list(),
                                     cache_clear(), cache_verify(), completion(),  version()};
    return all;
}

exit_code run(std::span<std::string_view const> words, surroundings const& around) {
    try {
        auto const asked = read_line(words, subcommands());
        if (asked.asks_for_help) {
            around.print(asked.is == nullptr ? help() : help(*asked.is));
            return exit_code::success;
        }
        return asked.is->run(asked, around);
    } catch (...) {
        std::string why;
        auto const code = ending_of_error(why);
        around.tell("spio: " + printable(why) + "\n");
        return code;
    }
}

} // namespace spio::command
