// Measures the configurations of a problem on a GPU, and keeps the fastest one for runtimes.
// SPDX-License-Identifier: Apache-2.0
//
// A trial is a problem with random data, a workbench a device with kernels, an image a kernel.
module;

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

module spio.command;

import spio.aot;
import spio.image;
import spio.launch;
import spio.runtime;
import spio.spec;
import spio.system;
import spio.tuned;

namespace spio::command {

namespace {

// Each round measures all candidates in turn, so that a change of the clock meets all of them.
constexpr int rounds = 3;
constexpr double slowest_kept = 1.25; // over the fastest; a slower one is measured once
constexpr double least_gain = 1.005;  // less is taken for noise: the family's own choice stays

struct candidate { // a configuration, its kernels, and the least time that was measured
    std::string config;
    std::vector<spec> kernels;
    double microseconds = std::numeric_limits<double>::infinity();
    std::string reason = {}; // why it could not be measured
};

// A problem as it was asked for, and its candidates, the first of which is the family's own choice.
struct tuned_problem {
    trial_family const* family;
    std::string words;
    spio::arch arch;
    unsigned seed;
    tuned::key place = {};
    std::vector<candidate> candidates = {};
    std::size_t best = 0;

    // The trial with one configuration. Sets the line by which runtimes will ask for it.
    trial with(std::string const& config) {
        config_source configs;
        configs.add(config_origin::tuned, [&](config_query const& query) {
            place.line = std::string(query.family) + " " + query.problem;
            return std::optional(config);
        });
        return create_trial(*family, words, arch, seed, configs);
    }
};

// Finds the images of all candidates, some at a time. A candidate without an image gets the reason.
void find_images(std::span<candidate> candidates, images const& images, policy policy) {
    std::atomic<std::size_t> next = 0;
    auto const find = [&] {
        for (std::size_t i; (i = next++) < candidates.size();) {
            auto& [config, kernels, microseconds, reason] = candidates[i];
            try {
                for (auto const& spec : kernels) images.find(spec, policy);
            } catch (std::exception const& e) {
                reason = e.what();
            }
        }
    };
    std::vector<std::jthread> threads(std::min<std::size_t>(
        std::max(1u, std::thread::hardware_concurrency()), candidates.size()));
    for (auto& thread : threads) thread = std::jthread(find);
}

// Measures the candidates in rounds, and sets the best one.
void measure_all(tuned_problem& problem, opened_runtime const& opened, policy policy,
                 io const& io) {
    auto const fastest = [&] {
        return std::ranges::min(problem.candidates, {}, &candidate::microseconds).microseconds;
    };
    for (int round = 0; round < rounds; ++round) {
        auto const limit =
            round == 0 ? std::numeric_limits<double>::infinity() : slowest_kept * fastest();
        for (std::size_t i = 0; i < problem.candidates.size(); ++i) {
            auto& [config, kernels, microseconds, reason] = problem.candidates[i];
            if (!reason.empty() || (round > 0 && microseconds > limit)) continue;
            progress const progress(io, "measuring " + problem.place.line + ": round " +
                                            std::to_string(round + 1) + ", " + config);
            try {
                workbench bench(*opened.runtime, policy);
                auto const time = launch_microseconds(opened, bench, problem.with(config));
                microseconds = std::min(microseconds, time);
            } catch (spio::error const& e) {
                microseconds = std::numeric_limits<double>::infinity();
                reason = e.what();
            }
        }
    }
    auto const limit = least_gain * fastest();
    auto const& candidates = problem.candidates;
    problem.best = static_cast<std::size_t>(
        std::ranges::find_if(candidates, [&](auto const& c) { return c.microseconds <= limit; }) -
        candidates.begin());
    if (problem.best == candidates.size() || !candidates[problem.best].reason.empty()) {
        throw failure(exit_status::tool_failed,
                      "no configuration of " + problem.place.line +
                          " could be measured; the first: " + candidates.front().reason);
    }
}

// Compares the results of the best configuration with the reference.
void check_best(tuned_problem& problem, opened_runtime const& opened, policy policy, io const& io) {
    progress const progress(io, "checking " + problem.place.line);
    auto const& config = problem.candidates[problem.best].config;
    workbench bench(*opened.runtime, policy);
    auto const verdict = problem.with(config).prepare(bench).check(bench.queue());
    if (verdict.wrong == 0) return;
    throw failure(exit_status::check_failed,
                  problem.place.line + " by " + config + " has " + std::to_string(verdict.wrong) +
                      " wrong results; it is not kept; the first: " + verdict.first_wrong);
}

// The family of this name. Refuses one that has a single configuration for a problem.
trial_family const& measured_family(std::string_view name) {
    std::vector<std::string_view> names;
    for (auto const& family : trial_families()) {
        if (family.configs != nullptr) names.push_back(family.name);
    }
    auto const* const found = trial_family_of(family_named(name));
    if (found != nullptr && found->configs != nullptr) return *found;
    throw failure(exit_status::usage, quote(name) +
                                          " has one configuration for a problem; those "
                                          "that can be tuned are " +
                                          format_list(names, " and "));
}

// A problem and its configurations, as many as --best or --all says.
tuned_problem problem_with_candidates(std::string_view family_name, std::string words, arch arch,
                                      arguments const& args) {
    tuned_problem problem = {.family = &measured_family(family_name),
                             .words = std::move(words),
                             .arch = arch,
                             .seed = args.number("--seed", "1")};
    problem.place.arch = text_of(arch);
    create_trial(*problem.family, problem.words, arch, problem.seed); // refuses wrong words
    auto configs = problem.family->configs(problem.words, arch);
    auto const most = args.number("--best", "12");
    if (most == 0) throw failure(exit_status::usage, "--best is 0, but must be at least 1");
    if (!args.has("--all") && configs.size() > most) configs.resize(most);
    for (auto const& config : configs) {
        problem.candidates.push_back({.config = config, .kernels = problem.with(config).kernels});
    }
    return problem;
}

// The problems that the words name, or those of the manifest.
std::vector<std::string> lines_in(arguments const& args) {
    if (args.has("--manifest") != args.operands.empty()) {
        throw failure(exit_status::usage,
                      "name either a family and its problem or a --manifest, and not both");
    }
    if (!args.has("--manifest")) return {args.operands.front() + " " + problem_words(args)};
    std::vector<std::string> lines;
    auto const manifest = read_manifest(args.value("--manifest"));
    for (auto const& line : aot::lines_of(manifest)) lines.push_back(line.text);
    return lines;
}

// The file for the results: that of --file, or the one that runtimes read.
std::filesystem::path file_in(arguments const& args) {
    if (args.has("--file")) return std::filesystem::absolute(args.value("--file"));
    auto const place = tuned::place_of_environment(operating_system(), folder::use::owned);
    if (!place.file.empty()) return place.file;
    throw failure(exit_status::not_written, "there is no file to keep the result in: " +
                                                place.refusal + "; --file FILE names one");
}

json json_of(tuned_problem const& problem) {
    auto const candidate_json = [](candidate const& c) {
        auto const time = c.reason.empty() ? json(c.microseconds) : json(nullptr);
        return json::object(
            {{"config", c.config}, {"microseconds", time}, {"reason", json_or_null(c.reason)}});
    };
    auto const& best = problem.candidates[problem.best];
    return json::object({{"problem", problem.place.line},
                         {"gpu", problem.place.gpu},
                         {"arch", problem.place.arch},
                         {"config", best.config},
                         {"microseconds", best.microseconds},
                         {"candidates", json::array(problem.candidates, candidate_json)}});
}

std::string text_of(tuned_problem const& problem) {
    auto const &best = problem.candidates[problem.best], &first = problem.candidates.front();
    auto const failed =
        std::ranges::count_if(problem.candidates, [](auto const& c) { return !c.reason.empty(); });
    auto text = problem.place.line + " on " + problem.place.gpu + " (" + problem.place.arch +
                ")\n  fastest " + best.config + "\n          " + format_number(best.microseconds) +
                " us";
    if (problem.best == 0) {
        text += ", which is the family's own choice";
    } else if (first.reason.empty()) {
        text += "; the family's own choice takes " +
                format_number(first.microseconds / best.microseconds) + " times that";
    }
    text += "; of " + format_count(problem.candidates.size(), "configuration");
    if (failed > 0) text += ", of which " + std::to_string(failed) + " could not be measured";
    return text + "\n";
}

exit_status run_tune(arguments const& args, io const& io) {
    if (args.has("--train")) return train_models(args, io);
    auto const lines = lines_in(args);
    auto const policy =
        args.has("--policy") ? policy_named(args.value("--policy")) : policy_of_environment();
    auto const opened = open_gpu_alone(args.value("--device"), policy, read_packs(args, io), io);
    auto const file = file_in(args);
    static_cast<void>(tuned::read(file)); // a damaged file is told before anything is measured
    std::vector<tuned_problem> problems;
    for (auto const& line : lines) {
        auto const space = std::min(line.find(' '), line.size());
        problems.push_back(problem_with_candidates(line.substr(0, space), line.substr(space),
                                                   opened.runtime->arch(), args));
        problems.back().place.gpu = opened.gpu->name();
    }
    std::string text;
    for (auto& problem : problems) {
        {
            progress const progress(
                io, "compiling " + format_count(problem.candidates.size(), "configuration") +
                        " of " + problem.place.line);
            find_images(problem.candidates, opened.runtime->all_images(), policy);
        }
        measure_all(problem, opened, policy, io);
        if (args.has("--check")) check_best(problem, opened, policy, io);
        auto const& best = problem.candidates[problem.best];
        // At once, so that what was measured stays if a later problem fails.
        tuned::add(file,
                   {{problem.place, {best.config, best.microseconds, tuned::digest_of_kernels()}}});
        text += text_of(problem);
    }
    text += "kept in " + file.string() + "\n";
    print_result(args, io,
                 json::object({{"file", file.string()},
                               {"problems",
                                json::array(problems, [](auto const& p) { return json_of(p); })}}),
                 text);
    return exit_status::success;
}

} // namespace

subcommand tune() {
    return {
        .name = "tune",
        .operands = "FAMILY KEY=VALUE...",
        .summary = "measure configurations on this GPU, and keep the fastest",
        .details =
            R"(Compiles the configurations that the family estimates to be the fastest, measures each on
data that has left the GPU's cache, and writes the fastest to a file. Every runtime on a GPU
of that name takes it from there: SPIO_TUNED names the file, which is otherwise tuned.txt in
the folder of the cache. 'spio pack build --tuned FILE' builds packs with these choices.

  spio tune conv2d n=64 c=128 h=56 w=56
  spio tune matmul m=4096 n=4096 k=1024 --all
  spio tune --manifest kernels.manifest --file tuned.txt
)",
        .options = {{"--manifest", "FILE", "tune all that it lists"},
                    {"--best", "NUMBER",
                     "measure this many configurations, the best by estimate; otherwise 12"},
                    {"--check", "", "keep the fastest only if its results are right"},
                    {"--all", "", "measure every configuration worth a trial"},
                    {"--file", "FILE", "write the result to this file"},
                    {"--train", "FILE", "make models of this sweep instead"},
                    {"--sources", "FOLDER",
                     "with --train: Spio's sources, if not those of the build"},
                    {"--device", "gpu|gpu:NUMBER", "the GPU"},
                    {"--policy", "aot_only|generic_then_jit|aot_then_jit|jit_only",
                     "who is asked for images; else what SPIO_POLICY says"},
                    {"--seed", "NUMBER", "of the random data; 1 if it is not given"},
                    pack_option,
                    json_option},
        .least_operands = 0,
        .most_operands = 64,
        .run = run_tune};
}

} // namespace spio::command
