// Says which Spio this is.
// SPDX-License-Identifier: Apache-2.0
module;

#include <string>

module spio.command;

import spio.aot;
import spio.cache;
import spio.text;

namespace spio::command {

subcommand version() {
    return {.name = "version",
            .summary = "which Spio this is",
            .lesson = "The digest is that of the text of all kernels in this program: where it\n"
                      "differs, kernels compiled at run time do too.\n",
            .options = {json_option},
            .run = [](line const& asked, surroundings const& around) {
                if (asked.has(json_option.name)) {
                    around.print(json::object({{"version", project_version()},
                                               {"kernel_text", kernel_text_digest()},
                                               {"pack_schema", aot::pack_schema},
                                               {"cache_schema", cache::schema}})
                                     .text() +
                                 "\n");
                } else {
                    around.print("spio " + std::string(project_version()) + ", kernel text " +
                                 std::string(kernel_text_digest().substr(0, 16)) +
                                 ", packs of schema " + std::to_string(aot::pack_schema) +
                                 ", cache of schema " + std::to_string(cache::schema) + "\n");
                }
                return exit_code::success;
            }};
}

} // namespace spio::command
