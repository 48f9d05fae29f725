// Runs a kernel: on random data, checked and timed if that is asked for.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

module spio.command;

import spio.image;
import spio.jit;
import spio.launch;
import spio.spec;

namespace spio::command {

std::string problem_words(line const&);

namespace {

// Data for a trial are made here before a device sees them.
void expect_memory(std::uint64_t bytes_moved) {
    auto const pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return;
    auto const there = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
    // Inputs, results and a reference in double.
    auto const needed = 8 * bytes_moved;
    if (needed <= there) return;
    throw failure(exit_code::tool_failed, "this problem takes about " + spelled_bytes(needed) +
                                              " of memory, and this machine has " +
                                              spelled_bytes(there) + "; try a smaller one");
}

// Those for the host device are in the program, or compiled now if that is allowed.
std::unique_ptr<rehearsal> staged_trial(trial& what, stage& at, policy how,
                                        surroundings const& around) {
    try {
        return what.on(at);
    } catch (spio::error const& e) {
        if (e.kind() != error_kind::not_found || !at.on().arch().is_host) throw;
    }
    if (how == policy::aot_only) {
        throw failure(exit_code::not_found,
                      "this program has no kernel of '" + what.kernels().front().line() +
                          "' for the host device, and compiles none under aot_only; 'spio list' "
                          "names those it has");
    }
    add_host_kernels(what.kernels(), around);
    return what.on(at);
}

policy policy_in(std::string_view word) {
    std::vector<std::string_view> names;
    for (auto const each : {policy::aot_only, policy::aot_then_jit, policy::jit_only}) {
        names.push_back(name_of(each));
        if (names.back() == word) return each;
    }
    throw failure(exit_code::usage, "--policy is " + in_quotes(word) + suggestion(word, names) +
                                        ", but must be aot_only, aot_then_jit or jit_only");
}

exit_code run_one(line const& asked, surroundings const& around) {
    auto const& family = trial_family_named(asked.operands.front());
    auto const seed = number_of(asked.value("--seed", "1"), "--seed");
    auto const how =
        asked.has("--policy") ? policy_in(asked.value("--policy")) : policy_of_environment();
    // Words are judged before a device is looked for.
    auto const words = problem_words(asked);
    auto const arch_text = asked.value("--arch");
    auto const asked_arch = arch_text.empty() ? arch() : parse_arch(arch_text);
    family.make(words, asked_arch == arch() ? host_arch : asked_arch, seed);

    auto const chosen = choose_device(asked.value("--device"), around);
    if (asked.has("--time") && !chosen.gpu) {
        throw failure(exit_code::usage,
                      "--time measures launches on a GPU, and this would run on the host device" +
                          (chosen.why_no_gpu.empty() ? "" : ": " + chosen.why_no_gpu));
    }
    auto const arch = asked_arch == spio::arch() ? chosen.on.arch() : asked_arch;
    if (!arch.runs_on(chosen.on.arch())) {
        throw failure(exit_code::not_found, chosen.on.name() + " is " + text_of(chosen.on.arch()) +
                                                " and runs no code for " +
                                                in_quotes(text_of(arch)) +
                                                "; 'spio show' tells of other architectures");
    }
    auto const trial = family.make(words, arch, seed);
    expect_memory(trial->bytes_moved());
    shipped const packs(asked, around);
    jit::just_in_time const compiler;
    images const all(packs, compiler, how);
    stage at(chosen.on, all, how);

    outcome got = {.problem = std::string(family.name) + " " + trial->problem(),
                   .checked = {},
                   .timed = {},
                   .bytes_moved = trial->bytes_moved()};
    {
        progress const telling(around, "running " + got.problem);
        auto const once = staged_trial(*trial, at, how, around);
        auto const start = std::chrono::steady_clock::now();
        once->launch(at.queue());
        at.queue().synchronize();
        got.host_milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                .count();
        if (asked.has("--check")) got.checked = once->check(at.queue());
    }
    if (asked.has("--time")) {
        progress const telling(around, "timing " + got.problem);
        got.timed = time_on_gpu(chosen, at, *trial);
    }
    around.print(asked.has(json_option.name)
                     ? outcome_json(got, at, chosen.why_no_gpu).text() + "\n"
                     : printable(outcome_text(got, at, chosen.why_no_gpu)));
    bool const is_right = !got.checked || got.checked->wrong == 0;
    return is_right ? exit_code::success : exit_code::check_failed;
}

} // namespace

subcommand run_trial() {
    return {.name = "run",
            .operands = "FAMILY KEY=VALUE...",
            .summary = "run a kernel on random data, check and time it",
            .lesson =
                "Without --device it runs on the first GPU, or on the host device where there is "
                "none: there\n"
                "the same kernel text is compiled for the processor, and every misuse is found. "
                "What the\n"
                "program was built without, clang++ compiles now, unless the policy is aot_only. "
                "--check\n"
                "compares all results with a reference in double, each within what its roundings "
                "may do,\n"
                "and ends with 1 if one is beyond that. --time replays launches from a graph, over "
                "arrays\n"
                "that have left the GPU's cache, beside a copy of the same bytes.\n\n"
                "  spio run axpby n=1000000 --check --time\n"
                "  spio run layernorm_2d channels=64 positions=4096 --check --device host\n"
                "  spio run layernorm_2d channels=72 --policy aot_only --pack kernels.spiopack\n",
            .options = {{"--check", "", "compare the results with a reference"},
                        {"--time", "", "measure launches on a GPU"},
                        {"--device", "gpu|gpu:NUMBER|host", "where it runs"},
                        {"--policy", "aot_only|aot_then_jit|jit_only",
                         "who is asked for images; else what SPIO_POLICY says"},
                        {"--arch", "ARCH", "code for this architecture, if the device runs it"},
                        {"--seed", "NUMBER", "of the random data; 1 if it is not given"},
                        pack_option,
                        json_option},
            .least_operands = 1,
            .most_operands = 64,
            .run = run_one};
}

} // namespace spio::command
