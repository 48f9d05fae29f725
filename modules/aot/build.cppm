// Building packs: what a manifest lists, compiled for each architecture.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

export module spio.aot:build;

import spio.spec;
import :compiler;
import :pack;

export namespace spio::aot {

// An image, compiled now or found as it was left.
struct built_image {
    std::string line, arch, symbol;
    std::size_t bytes = 0, plain_bytes = 0; // in the pack, and as the compiler made it
    double seconds = 0;                     // of compiling
    bool is_new = false;
};

struct build_progress {
    std::size_t done, all;
    built_image const& image;
};

struct build_request {
    std::string manifest;              // its text
    std::string manifest_name;         // for messages
    std::span<family const> families;  // that it may name
    std::vector<std::string> archs;    // "sm_80", "sm_90a", "compute_80"
    device_compiler compiler = {};     // see find_compiler()
    std::filesystem::path output = {}; // the pack
    // What lies between the manifest and the pack. What is there and still right is not compiled
    // again; if empty, nothing is kept.
    std::filesystem::path folder = {};
    unsigned jobs = 0; // compilers that run at once; 0: one for each processor
    // Is told each image when it is there, from several threads, one at a time.
    std::function<void(build_progress const&)> progress = {};
};

struct built_pack {
    std::vector<built_image> images; // in their order in the pack
    std::uint64_t bytes = 0;         // of the pack
};

// Nothing is written to the output unless all of it can be read again. Throws spio::error: what is
// wrong with a line of the manifest, the compiler's words, uncut, or a folder that cannot be had.
built_pack build_pack(build_request const&);

// The steps of it, for build systems that run them themselves: the images of a line, counted from
// 0, are left in the request's folder, and found there.
std::vector<built_image> build_images(build_request const&, std::size_t line,
                                      std::string const& arch);
built_pack assemble_pack(build_request const&);

} // namespace spio::aot
