// Reads the models that were trained on this machine, from a folder beside its measurements.
// SPDX-License-Identifier: Apache-2.0
//
// A model predicts times; it is a table of trees in a text file. It says of which GPU the times
// were that it was trained on. A trusted file is one that no other user could have written.
module;

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

module spio.tuned;

import spio.cache;
import spio.error;
import spio.model;
import spio.system;

namespace spio::tuned {

namespace fs = std::filesystem;

model_folder model_folder_of_environment(system_calls& system, folder::use use) {
    char const* const value = system.environment("SPIO_TUNED");
    if (value != nullptr && !parse_switch(value).value_or(true)) {
        return {.refusal = "SPIO_TUNED is off"};
    }
    auto const caches = cache::folder_of_environment(system, use);
    if (!caches) return {.refusal = caches.refusal()};
    return {.path = fs::path(caches.path()) / "models"};
}

// A sweep begins its times with "device 0, NVIDIA H200 | sm_90a | …".
bool is_trained_on(std::string_view source, std::string_view gpu, std::string_view arch) {
    auto const words = ", " + std::string(gpu) + " | " + std::string(arch) + " |";
    return source.find(words) != source.npos;
}

std::vector<std::string> add_models(fs::path const& folder, std::string_view gpu,
                                    std::string_view arch) {
    std::vector<fs::path> files;
    std::error_code missing;
    for (auto const& file : fs::directory_iterator(folder, missing)) {
        if (file.path().extension() == ".txt") files.push_back(file.path());
    }
    std::ranges::sort(files);
    std::vector<std::string> refusals;
    for (auto const& file : files) {
        try {
            trusted_file const opened(file, trusted_file::use::data);
            if (!opened) {
                refusals.push_back(opened.refusal());
                continue;
            }
            if (opened.size() > model::forest::most_bytes) {
                refusals.push_back(file.string() + " is larger than any model");
                continue;
            }
            auto const text = opened.read();
            auto const source = model::forest::parse(text, file.string()).source();
            if (is_trained_on(source, gpu, arch)) {
                model::add_local(text, file.string(), arch);
            } else {
                refusals.push_back(file.string() + " was trained on another GPU: " + source);
            }
        } catch (error const& e) {
            refusals.emplace_back(e.what());
        }
    }
    return refusals;
}

} // namespace spio::tuned
