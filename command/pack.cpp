// Looks into packs.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

module spio.command;

import spio.aot;
import spio.families;
import spio.image;
import spio.spec;

namespace spio::command {

namespace {

json packed_json(aot::packed const& each) {
    return json::object({{"symbol", each.symbol},
                         {"arch", each.arch},
                         {"line", each.line},
                         {"config", each.config},
                         {"kind", name_of(each.kind)},
                         {"threads", each.shape.block.x * each.shape.block.y * each.shape.block.z},
                         {"shared_bytes", each.shape.shared_bytes},
                         {"params_bytes", each.params_bytes},
                         {"offset", each.offset},
                         {"bytes", each.size},
                         {"plain_bytes", each.plain_bytes},
                         {"compiler", each.compiler}});
}

json stale_json(aot::stale_image const& each) {
    return json::object({{"line", each.entry.line}, {"arch", each.entry.arch}, {"why", each.why}});
}

// Those that this program cannot make once more: of a project's own families.
bool is_unknown(aot::packed const& each) {
    auto const known = families();
    return std::ranges::find(known, each.line.substr(0, each.line.find(' ')), &family::name) ==
           known.end();
}

exit_code run_list(line const& asked, surroundings const& around) {
    std::string text;
    std::vector<json> packs;
    for (auto const file : asked.operands) {
        auto const pack = read_pack(file);
        packs.push_back(
            json::object({{"path", file}, {"images", json_of_each(pack.list(), packed_json)}}));
        std::uint64_t bytes = 0;
        std::string lines;
        for (auto const& each : pack.list()) {
            bytes += each.size;
            lines += "  " + padded(each.line, 40) + padded(each.arch, 12) +
                     padded(spelled_bytes(each.size), 12) + each.config + "\n";
        }
        text += printable(file) + ": " + counted(pack.list().size(), "image") + ", " +
                spelled_bytes(bytes) + "\n" + lines;
    }
    around.print(asked.has(json_option.name)
                     ? json::object({{"packs", json::array(packs)}}).text() + "\n"
                     : text);
    return exit_code::success;
}

// Each pack is looked at, whatever is wrong with those before it.
exit_code run_verify(line const& asked, surroundings const& around) {
    auto worst = exit_code::success;
    std::string text;
    std::vector<json> packs;
    for (auto const file : asked.operands) {
        std::uint64_t images = 0;
        std::string complaint;
        std::vector<aot::stale_image> stale;
        std::vector<std::string> unknown;
        try {
            auto const pack = read_pack(file);
            images = pack.list().size();
            pack.verify();
            stale = aot::stale_images(pack, families());
            std::erase_if(stale, [](auto const& each) { return is_unknown(each.entry); });
            for (auto const& each : pack.list()) {
                if (is_unknown(each)) unknown.push_back(each.line + " for " + each.arch);
            }
        } catch (failure const& e) {
            complaint = e.what();
            if (worst == exit_code::success) worst = e.code();
        } catch (spio::error const& e) {
            complaint = e.what();
            worst = exit_code::check_failed;
        }
        auto const is_good = complaint.empty() && stale.empty();
        if (!stale.empty() && worst == exit_code::success) worst = exit_code::check_failed;
        packs.push_back(json::object(
            {{"path", file},
             {"is_good", is_good},
             {"images", images},
             {"stale", json_of_each(stale, stale_json)},
             {"unknown", json_of_each(unknown, [](auto const& each) { return json(each); })},
             {"complaint", complaint.empty() ? json(nullptr) : json(complaint)}}));
        if (complaint.empty()) {
            text += printable(file) + ": " + counted(images, "image") + ", all as packed, " +
                    std::to_string(stale.size()) + " stale" +
                    (unknown.empty() ? "" : ", " + std::to_string(unknown.size()) + " unknown") +
                    "\n";
        } else {
            around.tell("spio: " + printable(complaint) + "\n");
        }
        for (auto const& [entry, why] : stale) {
            text += "  stale: " + entry.line + " for " + entry.arch + ": " + why + "\n";
        }
        for (auto const& each : unknown) {
            text += "  unknown: " + each + ": of no family of this program; ask its own packer\n";
        }
    }
    around.print(asked.has(json_option.name)
                     ? json::object({{"packs", json::array(packs)}}).text() + "\n"
                     : text);
    return worst;
}

constexpr unsigned most_packs = 1000;

} // namespace

subcommand pack_list() {
    return {.name = "pack list",
            .operands = "FILE...",
            .summary = "the images in packs",
            .lesson = "Of each image the line that put it there, its architecture, size and\n"
                      "configuration. What is no pack is refused before any of it is used.\n\n"
                      "  spio pack list kernels.spiopack\n",
            .options = {json_option},
            .least_operands = 1,
            .most_operands = most_packs,
            .run = run_list};
}

subcommand pack_verify() {
    return {.name = "pack verify",
            .operands = "FILE...",
            .summary = "whether packs are as they were written, and of today's kernels",
            .lesson =
                "Reads the index and compares the checksum of each image; nothing is loaded.\n"
                "An image is stale if the kernels in this program would make another; of a\n"
                "project's own families only its own packer knows. Ends with 1 if a pack is\n"
                "damaged or stale, with 3 if one is not there.\n\n"
                "  spio pack verify *.spiopack\n",
            .options = {json_option},
            .least_operands = 1,
            .most_operands = most_packs,
            .run = run_verify};
}

} // namespace spio::command
