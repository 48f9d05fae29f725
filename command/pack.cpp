// Lists and verifies packs, which are files of images (compiled kernels).
// SPDX-License-Identifier: Apache-2.0
//
// An entry of a pack says from which family, problem and configuration its image was compiled: a
// family is the kernels of one operation. A config_source finds measured configurations; without
// one the family chooses. plain_bytes is the size of an image before compression.
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

module spio.command;

import spio.aot;
import spio.image;
import spio.spec;
import spio.system;

namespace spio::command {

namespace {

// An image of a pack, for programs (--json).
json json_of(aot::packed_image const& image) {
    auto const& block = image.shape.block;
    return json::object({{"symbol", image.symbol},
                         {"arch", image.arch},
                         {"line", image.line},
                         {"config", image.config},
                         {"kind", name_of(image.kind)},
                         {"threads", block.x * block.y * block.z},
                         {"shared_bytes", image.shape.shared_bytes},
                         {"params_bytes", image.params_bytes},
                         {"offset", image.offset},
                         {"bytes", image.size},
                         {"plain_bytes", image.plain_bytes},
                         {"compiler", image.compiler}});
}

// The images of a pack, a line for each, for people.
std::string text_of(aot::pack const& pack, std::string const& file) {
    std::size_t width = 0;
    for (auto const& image : pack.list()) width = std::max(width, image.line.size());
    auto text = file + ": " + format_count(pack.list().size(), "image") + ", " +
                format_bytes(std::filesystem::file_size(file)) + " with the index\n";
    for (auto const& image : pack.list()) {
        text += "  " + padded(image.line, width + 2) + padded(image.arch, 12) +
                (image.config.empty() ? format_bytes(image.size)
                                      : padded(format_bytes(image.size), 12) + image.config) +
                "\n";
    }
    return text;
}

exit_status run_list(arguments const& args, io const& io) {
    std::string text;
    std::vector<json> packs;
    for (auto const& file : args.operands) {
        auto const pack = inspect_pack(file);
        text += text_of(pack, file);
        packs.push_back(json::object(
            {{"path", file},
             {"images", json::array(pack.list(), [](auto const& i) { return json_of(i); })}}));
    }
    print_result(args, io, json::object({{"packs", json::array(packs)}}), text);
    return exit_status::success;
}

// What was found in a pack, and the exit status that follows from it. An image is stale if the
// kernels in this program would make another.
struct verification {
    std::string file;
    std::uint64_t images = 0;
    std::vector<aot::stale_image> stale = {};
    std::vector<std::string> unknown = {}; // images that are not compared: this program does not
                                           // know their family, or where its text is
    std::string complaint = {};
    exit_status status = exit_status::success;
};

// Verifies a pack; errors become part of what is found.
verification verify(std::string const& file, config_source const& configs) {
    verification result = {.file = file};
    auto const is_unknown = [](aot::packed_image const& image) {
        auto const family = image.line.substr(0, image.line.find(' '));
        return std::ranges::find(families(), family, &family::name) == families().end();
    };
    try {
        auto const pack = inspect_pack(file);
        result.images = pack.list().size();
        pack.verify();
        // Kernels of CUDA Python are not among them: the pack names the file of such a kernel, and
        // whoever has written the pack could name any file.
        result.stale = aot::stale_images(pack, families(), configs);
        std::erase_if(result.stale, [&](auto const& image) { return is_unknown(image.entry); });
        for (auto const& image : pack.list()) {
            if (is_unknown(image)) result.unknown.push_back(image.line + " for " + image.arch);
        }
        if (!result.stale.empty()) result.status = exit_status::check_failed;
    } catch (failure const& e) {
        result.complaint = e.what();
        result.status = e.status();
    } catch (spio::error const& e) {
        result.complaint = e.what();
        result.status = exit_status::check_failed;
    }
    return result;
}

// What was found in a pack, for programs (--json), and below for people.
json json_of(verification const& result) {
    auto const stale = [](aot::stale_image const& image) {
        return json::object(
            {{"line", image.entry.line}, {"arch", image.entry.arch}, {"why", image.reason}});
    };
    return json::object(
        {{"path", result.file},
         {"is_good", result.status == exit_status::success},
         {"images", result.images},
         {"stale", json::array(result.stale, stale)},
         {"unknown", json::array(result.unknown, [](auto const& line) { return json(line); })},
         {"complaint", json_or_null(result.complaint)}});
}

// Empty if the pack could not be read.
std::string text_of(verification const& result) {
    if (!result.complaint.empty()) return {};
    auto text = result.file + ": " + format_count(result.images, "image") + ", all as packed, " +
                std::to_string(result.stale.size()) + " stale";
    if (!result.unknown.empty()) text += ", " + std::to_string(result.unknown.size()) + " unknown";
    text += "\n";
    for (auto const& [entry, reason] : result.stale) {
        text += "  stale: " + entry.line + " for " + entry.arch + ": " + reason + "\n";
    }
    for (auto const& line : result.unknown) {
        text += "  unknown: " + line +
                (line.starts_with("cuda_python ")
                     ? ": no file that a pack names is opened\n"
                     : ": of no family of this program; ask its own packer\n");
    }
    return text;
}

// Verifies each pack, even after a failure. The exit status is check_failed if any pack failed its
// check, or else that of the first failure.
exit_status run_verify(arguments const& args, io const& io) {
    auto worst = exit_status::success;
    std::string text;
    std::vector<json> packs;
    auto const configs = tuned_configs(args);
    for (auto const& file : args.operands) {
        auto const result = verify(file, configs);
        if (worst == exit_status::success || result.status == exit_status::check_failed) {
            worst = result.status;
        }
        if (!result.complaint.empty()) io.tell("spio: " + printable(result.complaint) + "\n");
        text += text_of(result);
        packs.push_back(json_of(result));
    }
    print_result(args, io, json::object({{"packs", json::array(packs)}}), text);
    return worst;
}

constexpr unsigned most_packs = 1000;

} // namespace

subcommand pack_list() {
    return {.name = "pack list",
            .operands = "FILE...",
            .summary = "list the images in packs",
            .details = "Shows for each image its line of the manifest, its architecture, its size\n"
                       "and its configuration. A file that is not a pack is refused.\n\n"
                       "  spio pack list kernels.spiopack\n",
            .options = {json_option},
            .least_operands = 1,
            .most_operands = most_packs,
            .run = run_list};
}

subcommand pack_verify() {
    return {.name = "pack verify",
            .operands = "FILE...",
            .summary = "check that packs are undamaged and up to date",
            .details =
                "Reads the index and compares the checksum of each image; nothing is loaded.\n"
                "An image is stale if this program would compile another one in its place.\n"
                "Families that this program does not know are not checked for that. Ends with 1\n"
                "if a pack is damaged or stale, and with 3 if a pack does not exist.\n\n"
                "  spio pack verify *.spiopack\n",
            .options = {tuned_option, json_option},
            .least_operands = 1,
            .most_operands = most_packs,
            .run = run_verify};
}

} // namespace spio::command
