// What came out of a run, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstdint>
#include <optional>
#include <string>

export module spio.command:outcome;

import :json;
import :stage;
import :timing;
import :trial;

export namespace spio::command {

struct outcome {
    std::string problem; // with its family
    std::optional<verdict> checked;
    std::optional<timing> timed;
    double host_milliseconds = 0; // of a launch on the host device
    std::uint64_t bytes_moved = 0;
};

// The reason why there is no GPU may be empty.
std::string outcome_text(outcome const&, stage const&, std::string const& why_no_gpu);
json outcome_json(outcome const&, stage const&, std::string const& why_no_gpu);

} // namespace spio::command
