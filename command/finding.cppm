// What the doctor finds.
// SPDX-License-Identifier: Apache-2.0
module;

#include <string>
#include <string_view>
#include <vector>

export module spio.command:finding;

import spio.command_line;
import :json;

export namespace spio::command {

enum class state { good, missing, wrong };

struct finding {
    std::string name;
    state is = state::good;
    std::string words = {};
    std::string advice = {};
    std::vector<std::string> lines = {}; // more words
    json facts = nullptr;                // the same for programs
};

finding nvrtc_finding();
finding cache_finding();
finding packs_finding(line const&, surroundings const&);

// As CMake has it: "0.1.0".
std::string_view project_version();

} // namespace spio::command
