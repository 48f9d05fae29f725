// Shows what a problem is specialized to, and where its images would come from.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

module spio.command;

import spio.cuda;
import spio.image;
import spio.jit;
import spio.launch;
import spio.spec;

namespace spio::command {

constexpr std::size_t longest_field = 256;

// The words after the family, as one text.
std::string problem_words(line const& asked) {
    std::string text;
    for (auto const word : std::span(asked.operands).subspan(1)) {
        if (word.size() > longest_field) {
            throw failure(exit_code::usage, in_quotes(word) + " is too long for a KEY=VALUE");
        }
        text += (text.empty() ? "" : " ") + std::string(word);
    }
    return text;
}

namespace {

constexpr arch usual_arch = sm_90a;

// The first GPU's, or a usual one.
arch arch_for(line const& asked, surroundings const& around) {
    if (asked.has("--arch")) return parse_arch(asked.value("--arch"));
    try {
        auto const driver = around.open_driver();
        if (driver->device_count() > 0) return arch_of(driver->device(0));
    } catch (spio::error const&) {
        return usual_arch;
    }
    return usual_arch;
}

// Who would be asked and has it; nothing is compiled to know it.
struct origin {
    std::string_view place; // "pack", "program", "cache", "nvrtc", or empty
    std::string words;
};

origin origin_of(spec const& of, shipped const& packs, jit::just_in_time const& compiler) {
    if (auto const found = packs.find(of)) {
        if (found->kind == image_kind::host) return {"program", "this program"};
        return {"pack", found->made_by + ", made for " + text_of(found->arch)};
    }
    auto const line = "; the manifest line that adds it is: " + of.line();
    if (of.arch.is_host) return {"", "nowhere: it is not built into this program" + line};
    auto const stale = packs.why_not(of);
    auto const nowhere = "nowhere: " + (stale.empty() ? "no pack has it" : stale);
    if (of.arch.is_ptx) return {"", nowhere + line};
    try {
        if (compiler.is_kept(of)) return {"cache", "the cache of compiled images"};
        return {"nvrtc", "NVRTC, which would compile it"};
    } catch (spio::error const& e) {
        return {"", nowhere + ", and " + e.what() + line};
    }
}

json extent_json(extent const& e) { return json::array({e.x, e.y, e.z}); }

std::string block_text(extent const& e) {
    auto text = std::to_string(e.x);
    if (e.y != 1 || e.z != 1) text += " x " + std::to_string(e.y);
    if (e.z != 1) text += " x " + std::to_string(e.z);
    return text;
}

json spec_json(spec const& of, origin const& from) {
    return json::object({{"line", of.line()},
                         {"config", of.config},
                         {"arch", text_of(of.arch)},
                         {"symbol", of.symbol},
                         {"block", extent_json(of.shape.block)},
                         {"cluster", extent_json(of.shape.cluster)},
                         {"shared_bytes", of.shape.shared_bytes},
                         {"params_bytes", of.params_bytes},
                         {"source", of.source},
                         {"image_from", from.place.empty() ? json(nullptr) : json(from.place)},
                         {"image_words", from.words}});
}

std::string spec_text(spec const& of, origin const& from) {
    std::string text = of.line() + "\n";
    auto const add = [&](char const* what, std::string const& is) {
        text += "  " + padded(what, 12) + is + "\n";
    };
    add("config", of.config);
    add("arch", text_of(of.arch));
    add("symbol", of.symbol);
    add("block", block_text(of.shape.block) + " threads, " +
                     spelled_bytes(static_cast<unsigned>(of.shape.shared_bytes)) +
                     " of dynamic shared memory");
    if (of.shape.cluster != extent()) add("cluster", block_text(of.shape.cluster) + " blocks");
    add("parameters", spelled_bytes(of.params_bytes));
    add("image from", from.words);
    return text + "\n" + of.source;
}

struct shown {
    std::string problem;
    std::vector<spec> kernels;
};

// A trial may have words of its own, for its launch, and several kernels.
shown shown_of(family const& of, std::string const& words, arch arch) {
    if (auto const* const tried = trial_of(of)) {
        auto const trial = tried->make(words, arch, 0);
        return {trial->problem(), trial->kernels()};
    }
    auto const specs = of.specialize(words, arch, default_config_source());
    return {specs.at(0).problem, specs};
}

void write_file(std::string const& path, std::span<std::byte const> bytes) {
    int const file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK,
                            S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
    bool good = file >= 0;
    while (good && !bytes.empty()) {
        auto const written = ::write(file, bytes.data(), bytes.size());
        good = written > 0;
        if (good) bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    if (file >= 0) good = ::close(file) == 0 && good;
    if (!good) {
        throw failure(exit_code::not_written, in_quotes(path) + " could not be written");
    }
}

exit_code run_show(line const& asked, surroundings const& around) {
    auto const& family = family_named(asked.operands.front());
    auto const asked_of = shown_of(family, problem_words(asked), arch_for(asked, around));
    shipped const packs(asked, around);
    jit::just_in_time const compiler;
    std::string text;
    std::vector<json> kernels;
    auto const& specs = asked_of.kernels;
    for (auto const& of : specs) {
        auto const from = origin_of(of, packs, compiler);
        text += (text.empty() ? "" : "\n") + spec_text(of, from);
        kernels.push_back(spec_json(of, from));
    }
    if (asked.has("--image")) {
        auto const path = std::string(asked.value("--image"));
        if (specs.size() != 1) {
            throw failure(exit_code::usage, "this problem takes " +
                                                counted(specs.size(), "kernel") +
                                                ", and --image writes one");
        }
        progress const telling(around, "compiling " + specs.front().symbol);
        images const all(packs, compiler);
        auto const found = all.find(specs.front());
        if (found.bytes.empty()) {
            throw failure(exit_code::usage, "an image for the host is in the program, in no file");
        }
        write_file(path, found.bytes);
    }
    around.print(asked.has(json_option.name) ? json::object({{"family", family.name},
                                                             {"problem", asked_of.problem},
                                                             {"kernels", json::array(kernels)}})
                                                       .text() +
                                                   "\n"
                                             : text);
    return exit_code::success;
}

} // namespace

subcommand show() {
    return {.name = "show",
            .operands = "FAMILY KEY=VALUE...",
            .summary = "what a problem is specialized to, and where its image would come from",
            .lesson = "Without --arch it is for the first GPU, or for sm_90a where there is none. "
                      "Nothing is\n"
                      "compiled, unless --image asks for the result.\n\n"
                      "  spio show axpby n=1000000\n"
                      "  spio show layernorm_2d channels=64 --arch host\n"
                      "  spio show layernorm_2d channels=64 --arch sm_80 --image layernorm.cubin\n",
            .options = {{"--arch", "ARCH", "sm_80, sm_90a, compute_80, host, ..."},
                        {"--image", "FILE", "find or compile the image, and write it there"},
                        pack_option,
                        json_option},
            .least_operands = 1,
            .most_operands = 64,
            .run = run_show};
}

} // namespace spio::command
