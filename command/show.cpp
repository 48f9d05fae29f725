// Shows what a problem is specialized to, and where its images (compiled kernels) would come from.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation, a problem the sizes and options of a call, a config how
// blocks and threads share it. A spec is what a kernel is compiled from: its text for all three and
// an architecture. A pack is a file of images, a manifest a list of kernels to pack. A
// config_source finds measured configurations; without one the family chooses. A trial runs a
// kernel on random data.
module;

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

module spio.command;

import spio.aot;
import spio.cuda;
import spio.image;
import spio.jit;
import spio.launch;
import spio.spec;
import spio.system;
import spio.tuned;

namespace spio::command {

namespace {

// Finds images in packs (files of images), or else in the program.
struct packed_images {
    std::vector<aot::pack> packs;

    std::optional<image> find(spec const& spec) const {
        for (auto const& pack : packs) {
            if (auto found = pack.find(spec)) return found;
        }
        return find_host_image(spec);
    }
    // Why the packs, which have images of the same family and problem, do not have this one; empty
    // if they have none at all.
    std::string why_not(spec const& spec) const {
        for (auto const& pack : packs) {
            if (auto reason = pack.why_not(spec); !reason.empty()) return reason;
        }
        return {};
    }
};

// The architecture that --arch names, or else that of the first GPU, or else sm_90a.
arch arch_for(arguments const& args, io const& io) {
    constexpr arch usual = sm_90a;
    if (args.has("--arch")) return arch_named(args.value("--arch"));
    try {
        auto const driver = io.open_driver();
        return driver->device_count() > 0 ? arch_of(driver->device(0)) : usual;
    } catch (spio::error const&) {
        return usual;
    }
}

// Where the image of a kernel would come from. Finding out compiles nothing.
struct image_origin {
    std::string_view source; // "pack", "program", "cache", "nvrtc", or empty
    std::string text;
};

image_origin origin_of(spec const& spec, packed_images const& packs,
                       jit::just_in_time const& compiler) {
    if (auto const found = packs.find(spec)) {
        if (found->kind == image_kind::host) return {"program", "this program"};
        return {"pack", found->made_by + ", made for " + text_of(found->arch)};
    }
    auto const line = "; the manifest line that adds it is: " + spec.line();
    if (spec.arch.is_host) return {"", "nowhere: it is not built into this program" + line};
    auto const stale = packs.why_not(spec);
    auto const nowhere = "nowhere: " + (stale.empty() ? "no pack has it" : stale);
    if (spec.arch.is_ptx) return {"", nowhere + line};
    try {
        if (compiler.kept(spec)) return {"cache", "the cache of compiled images"};
        return {"nvrtc", "NVRTC, which would compile it"};
    } catch (spio::error const& e) {
        return {"", nowhere + ", and " + e.what() + line};
    }
}

// A kernel and where its image would come from, for programs (--json).
json json_of(extent const& extent) { return json::array({extent.x, extent.y, extent.z}); }

json json_of(spec const& spec, image_origin const& origin) {
    return json::object({{"line", spec.line()},
                         {"config", spec.config},
                         {"arch", text_of(spec.arch)},
                         {"symbol", spec.symbol},
                         {"block", json_of(spec.shape.block)},
                         {"cluster", json_of(spec.shape.cluster)},
                         {"shared_bytes", spec.shape.shared_bytes},
                         {"params_bytes", spec.params_bytes},
                         {"source", spec.source},
                         {"image_from", json_or_null(std::string(origin.source))},
                         {"image_words", origin.text}});
}

// The same for people; sizes as "16 x 16", or "256" along x alone.
std::string text_of(extent const& extent) {
    auto text = std::to_string(extent.x);
    if (extent.y != 1 || extent.z != 1) text += " x " + std::to_string(extent.y);
    if (extent.z != 1) text += " x " + std::to_string(extent.z);
    return text;
}

std::string text_of(spec const& spec, image_origin const& origin) {
    std::string text = spec.line() + "\n";
    auto const add = [&](char const* name, std::string const& value) {
        text += "  " + padded(name, 12) + value + "\n";
    };
    if (!spec.config.empty()) add("config", spec.config);
    add("arch", text_of(spec.arch));
    add("symbol", spec.symbol);
    add("block", text_of(spec.shape.block) + " threads, " +
                     format_bytes(static_cast<unsigned>(spec.shape.shared_bytes)) +
                     " of dynamic shared memory");
    if (spec.shape.cluster != extent()) add("cluster", text_of(spec.shape.cluster) + " blocks");
    add("parameters", format_bytes(spec.params_bytes));
    add("image from", origin.text);
    return text + "\n" + spec.source;
}

// Finds or compiles the image of a problem's only kernel and writes it to the file `path`. Returns
// where the image came from. More than one kernel is a usage failure.
image_origin write_image(std::span<spec const> specs, std::string const& path,
                         packed_images const& packs, jit::just_in_time const& compiler,
                         io const& io) {
    if (specs.size() != 1) {
        throw failure(exit_status::usage, "this problem takes " +
                                              format_count(specs.size(), "kernel") +
                                              ", and --image writes one");
    }
    progress const progress(io, "compiling " + specs.front().symbol);
    images const sources(packs, compiler);
    auto const found = sources.find(specs.front());
    if (found.bytes.empty()) {
        throw failure(exit_status::usage, "an image for the host is in the program, in no file");
    }
    write_output(path, {reinterpret_cast<char const*>(found.bytes.data()), found.bytes.size()});
    auto const written = ", " + format_bytes(found.bytes.size()) + " written to " + path;
    switch (found.found) {
    case origin::packed:
        return {"pack", found.made_by + ", made for " + text_of(found.arch) + written};
    case origin::compiled:
        tell_what_is_not_kept(io);
        return {"nvrtc", "NVRTC, which compiled it now" + written};
    default:
        return {"cache", "the cache of compiled images" + written};
    }
}

// What chooses configurations for code of this architecture: measurements on the first GPU, if
// there is one.
config_source configs_for(arch arch, io const& io) {
    config_source configs;
    auto const place = tuned::place_of_environment();
    if (place.file.empty() || arch.is_host) return configs;
    try {
        auto const driver = io.open_driver();
        if (driver->device_count() == 0) return configs;
        auto const gpu = driver->device(0).name();
        configs.add(config_origin::tuned, tuned::finder_of(tuned::read(place.file), gpu));
    } catch (spio::error const& e) {
        log(std::string("no measured configurations: ") + e.what());
    }
    return configs;
}

// How the configuration is chosen, for programs (--json), and below for people.
json json_of(explained_choice const& choice) {
    auto const config_json = [](expected_config const& c) {
        return json::object({{"config", c.config},
                             {"estimated", c.estimated},
                             {"predicted", c.predicted > 0 ? json(c.predicted) : json(nullptr)}});
    };
    return json::object({{"by", choice.chosen_by},
                         {"refusal", json_or_null(choice.refusal)},
                         {"configs", json::array(choice.configs, config_json)}});
}

std::string text_of(explained_choice const& choice) {
    auto text = "\nconfiguration chosen by " + choice.chosen_by +
                (choice.refusal.empty() ? "" : ": " + choice.refusal) + "\n";
    for (auto const& [config, estimated, predicted] : choice.configs) {
        auto const model = predicted > 0 ? format_number(predicted) + " us by the model, " : "";
        text += "  " + model + format_number(estimated) + " us by the estimate: " + config + "\n";
    }
    return text;
}

exit_status run_show(arguments const& args, io const& io) {
    if (args.operands.front().ends_with(".py")) return show_python(args, io);
    auto const& family = family_named(args.operands.front());
    auto const words = problem_words(args);
    auto const arch = arch_for(args, io);
    auto const configs = configs_for(arch, io);
    for (auto const& refusal : add_models_of_gpu(io)) log("a model is not used: " + refusal);
    std::string problem;
    std::vector<spec> specs;
    // If the family has a trial, the words may also contain fields of the launch, such as the
    // number of positions.
    if (auto const* const known = trial_family_of(family)) {
        constexpr unsigned seed = 0; // any will do: no data is drawn
        auto const trial = create_trial(*known, words, arch, seed, configs);
        problem = trial.problem;
        specs = trial.kernels;
    } else {
        specs = family.specialize(words, arch, configs);
        problem = specs.front().problem;
    }
    std::optional<explained_choice> choice;
    if (auto const* const known = trial_family_of(family); known && known->explain != nullptr) {
        choice = known->explain(problem, arch, configs);
    }
    packed_images const packs = {read_packs(args, io)};
    jit::just_in_time const compiler;
    std::string text;
    std::vector<json> kernels;
    for (auto const& spec : specs) {
        auto const origin = args.has("--image")
                                ? write_image(specs, args.value("--image"), packs, compiler, io)
                                : origin_of(spec, packs, compiler);
        text += (text.empty() ? "" : "\n") + text_of(spec, origin);
        kernels.push_back(json_of(spec, origin));
    }
    if (choice) text += text_of(*choice);
    print_result(args, io,
                 json::object({{"family", family.name},
                               {"problem", problem},
                               {"kernels", json::array(kernels)},
                               {"choice", choice ? json_of(*choice) : json(nullptr)}}),
                 text);
    return exit_status::success;
}

} // namespace

subcommand show() {
    return {
        .name = "show",
        .operands = "FAMILY KEY=VALUE...",
        .summary = "show the kernels of a problem, and where their images would come from",
        .details =
            R"(Without --arch, the kernels are for the first GPU, or for sm_90a if there is none. Nothing
is compiled unless --image is given. For a file of CUDA Python and the name of a kernel in
it, shows the CUDA C++ of that kernel.

  spio show axpby n=1000000
  spio show layernorm_2d channels=64 --arch host
  spio show layernorm_2d channels=64 --arch sm_80 --image layernorm.cubin
  spio show axpy.py axpy
)",
        .options = {{"--arch", "ARCH", "sm_80, sm_90a, compute_80, host, ..."},
                    {"--image", "FILE", "find or compile the image, and write it there"},
                    {"--signature", "TYPES", "the parameter types of a kernel of CUDA Python"},
                    {"--floor", "", "round // and % in CUDA Python as Python does"},
                    pack_option,
                    json_option},
        .least_operands = 1,
        .most_operands = 64,
        .run = run_show};
}

} // namespace spio::command
