// Finds packs and reads them.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

module spio.command;

import spio.aot;
import spio.host;
import spio.image;
import spio.spec;

namespace spio::command {

namespace fs = std::filesystem;

std::vector<fs::path> packs_nearby(surroundings const& around) {
    std::vector<fs::path> found;
    if (around.program.empty()) return found;
    auto const folder = around.program.parent_path();
    for (auto const& each : {folder, folder.parent_path() / "share/spio/packs"}) {
        std::error_code ignored;
        for (fs::directory_iterator at(each, ignored), end; at != end; at.increment(ignored)) {
            if (at->path().extension() == ".spiopack") found.push_back(at->path());
        }
    }
    std::ranges::sort(found);
    return found;
}

aot::pack read_pack(fs::path const& path) {
    std::error_code failed;
    auto const status = fs::status(path, failed);
    auto const name = in_quotes(path.string());
    if (status.type() == fs::file_type::not_found) {
        throw failure(exit_code::not_found,
                      "there is no pack " + name + "; 'spio pack build' makes one of a manifest");
    }
    if (failed) throw failure(exit_code::not_found, "pack " + name + ": " + failed.message());
    // Nothing is waited for that may never come.
    if (status.type() != fs::file_type::regular) {
        throw failure(exit_code::not_found, name + " is no file, so it is no pack");
    }
    try {
        return aot::pack::read(path);
    } catch (spio::error const& e) {
        auto const code =
            e.kind() == error_kind::not_found ? exit_code::not_found : exit_code::check_failed;
        throw failure(code, e.what());
    }
}

shipped::shipped(line const& of, surroundings const& around) {
    for (auto const named : of.values(pack_option.name)) packs.push_back(read_pack(named));
    for (auto const& near : packs_nearby(around)) {
        try {
            packs.push_back(read_pack(near));
        } catch (failure const& e) {
            around.tell("spio: " + printable(e.what()) + "; it is not asked\n");
        }
    }
}

std::optional<image> shipped::find(spec const& of) const {
    for (auto const& each : packs) {
        if (auto found = each.find(of)) return found;
    }
    auto found = host::find(of);
    if (found && is_added(of)) found->made_by = "clang++, which compiled it now";
    return found;
}

std::string shipped::why_not(spec const& of) const {
    for (auto const& each : packs) {
        if (auto why = each.why_not(of); !why.empty()) return why;
    }
    return {};
}

} // namespace spio::command
