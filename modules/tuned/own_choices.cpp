// Remembers the configurations that launches in this process have found to be the fastest.
// SPDX-License-Identifier: Apache-2.0
//
// They are written to the file of measured configurations too. A configuration is how blocks and
// threads share a problem. A query names a problem and an architecture.
module;

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

module spio.tuned;

import spio.error;
import spio.spec;
import spio.system;

namespace spio::tuned {

namespace {

std::string line_of(config_query const& query) {
    return std::string(query.family) + " " + query.problem;
}
std::string key_of(config_query const& query) { return text_of(query.arch) + " " + line_of(query); }

} // namespace

own_choices::own_choices(std::filesystem::path file, std::string gpu)
    : named_file(std::move(file)), gpu_name(std::move(gpu)) {}

std::optional<std::string> own_choices::find(config_query const& query) const {
    std::lock_guard const lock(mutex);
    auto const found = configs.find(key_of(query));
    if (found == configs.end()) return {};
    return found->second;
}

void own_choices::record(config_query const& query, std::string const& config,
                         double microseconds) {
    {
        std::lock_guard const lock(mutex);
        configs.insert_or_assign(key_of(query), config);
    }
    auto file = named_file;
    if (file.empty()) {
        auto place = place_of_environment(operating_system(), folder::use::owned);
        if (place.file.empty()) {
            throw error(error_kind::io, "write", "measured configurations", place.refusal);
        }
        file = std::move(place.file);
    }
    key const measured = {.gpu = gpu_name, .arch = text_of(query.arch), .line = line_of(query)};
    choice const fastest = {
        .config = config, .microseconds = microseconds, .kernel_text = digest_of_kernels()};
    add(file, {{measured, fastest}});
}

} // namespace spio::tuned
