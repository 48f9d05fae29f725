// Where images come from: packs that were named or lie nearby, the program itself, NVRTC.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

export module spio.command:sources;

import spio.command_line;
import spio.aot;
import spio.image;
import spio.spec;

export namespace spio::command {

inline constexpr option pack_option = {"--pack", "FILE", "ask this pack too, before all others",
                                       true};

// Beside the program, and where an installed one has its data.
std::vector<std::filesystem::path> packs_nearby(surroundings const&);

// A pack that is read; what is wrong with it is a failure that says so.
aot::pack read_pack(std::filesystem::path const&);

// Asks packs in their order, those of the line first, and then the program itself for the host. One
// nearby that cannot be read is told, and not asked.
class shipped {
  public:
    shipped(line const&, surroundings const&);
    std::optional<image> find(spec const&) const;
    // That a pack has it of another text; empty if none has.
    std::string why_not(spec const&) const;

  private:
    std::vector<aot::pack> packs;
};

// The kernels for the host device in this program, as lines of a manifest.
std::span<std::string const> host_lines();

} // namespace spio::command
