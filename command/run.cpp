// Runs a kernel on random data, and checks and times it if --check and --time ask for that.
// SPDX-License-Identifier: Apache-2.0
//
// A trial is a problem with random data; its verdict counts the results that are wrong; a workbench
// is a device with the kernels that were loaded there. An image is a compiled kernel, a pack a file
// of images. A policy says whether images come from packs (files of them), from a compiler at run
// time, or both. A family is the kernels of one operation, a spec what a kernel is compiled from;
// the host device simulates a GPU on the CPU.
module;

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

module spio.command;

import spio.image;
import spio.launch;
import spio.runtime;
import spio.spec;

namespace spio::command {

namespace {

// What a run found out.
struct run_result {
    std::string problem; // the family's name and the fields of the problem
    std::uint64_t bytes_moved;
    std::string no_gpu_reason;
    std::optional<verdict> checked = {};
    std::optional<timing> timed = {};
    std::optional<double> host_milliseconds = {}; // of a launch on the host device
};

// The parts of a result, and below the whole one, for programs (--json).
json json_of(verdict const& verdict) {
    return json::object({{"compared", verdict.compared},
                         {"wrong", verdict.wrong},
                         {"worst_of_bound", verdict.worst},
                         {"first_wrong", json_or_null(verdict.first_wrong)}});
}

// `bytes` are those that the trial has to move.
json json_of(timing const& timing, std::uint64_t bytes) {
    return json::object({{"microseconds", timing.microseconds},
                         {"copy_microseconds", timing.copy_microseconds},
                         {"over_copy", timing.microseconds / timing.copy_microseconds},
                         {"bytes_moved", bytes},
                         {"replays", timing.replays},
                         {"launches", timing.launches},
                         {"is_cold", timing.is_cold}});
}

json json_of(loaded_kernel const& kernel) {
    auto const& image = kernel.source;
    return json::object({{"symbol", image.symbol},
                         {"line", image.line},
                         {"made_for", text_of(image.arch)},
                         {"kind", name_of(image.kind)},
                         {"from", image.made_by},
                         {"origin", name_of(image.found)},
                         {"bytes", image.bytes.size()},
                         {"found_milliseconds", kernel.find_milliseconds},
                         {"loaded_milliseconds", kernel.load_milliseconds}});
}

json json_of(run_result const& result, workbench const& bench) {
    auto const& [problem, bytes, reason, checked, timed, host_milliseconds] = result;
    return json::object(
        {{"problem", problem},
         {"device", json::object({{"name", bench.target_device().name()},
                                  {"arch", text_of(bench.target_device().arch())},
                                  {"why_no_gpu", json_or_null(reason)}})},
         {"kernels", json::array(bench.kernels(), [](auto const& k) { return json_of(k); })},
         {"check", checked ? json_of(*checked) : json(nullptr)},
         {"time", timed ? json_of(*timed, bytes) : json(nullptr)},
         {"host_milliseconds", host_milliseconds}});
}

// A verdict without wrong results, and below the whole result, for people.
std::string text_of(verdict const& verdict) {
    auto const results = format_count(verdict.compared, "result");
    if (verdict.is_exact) return results + ", each the exact number";
    return results + " within what rounding may do; the worst at " +
           format_number(100 * verdict.worst, 2) + " % of it";
}

std::string text_of(run_result const& result, workbench const& bench) {
    auto text = result.problem + " on " + bench.target_device().name() + " (" +
                text_of(bench.target_device().arch()) + ")\n";
    auto const add = [&](char const* name, std::string const& value) {
        text += "  " + padded(name, 8) + value + "\n";
    };
    if (!result.no_gpu_reason.empty()) add("no GPU", result.no_gpu_reason);
    for (auto const& [image, find_milliseconds, load_milliseconds] : bench.kernels()) {
        add("image", image.symbol + " from " + image.made_by + ", found in " +
                         format_milliseconds(find_milliseconds) + ", loaded in " +
                         format_milliseconds(load_milliseconds));
    }
    if (result.host_milliseconds) {
        add("ran", format_milliseconds(*result.host_milliseconds) +
                       ", with every load and store checked: not a measure of speed");
    }
    if (result.checked && result.checked->wrong == 0) {
        add("check", text_of(*result.checked));
    } else if (result.checked) {
        add("WRONG", std::to_string(result.checked->wrong) + " of " +
                         format_count(result.checked->compared, "result") +
                         "; the first: " + result.checked->first_wrong);
    }
    if (result.timed) {
        auto const& timing = *result.timed;
        auto const bytes = static_cast<double>(result.bytes_moved);
        add("time", format_number(timing.microseconds) + " us, " +
                        format_bytes(result.bytes_moved) + " at " +
                        format_number(bytes / timing.microseconds / 1e6) + " TB/s");
        add("copy",
            format_number(timing.copy_microseconds) + " us for the same bytes: the kernel takes " +
                format_number(timing.microseconds / timing.copy_microseconds) + " times that");
        if (!timing.is_cold) {
            add(/*name=*/"", "the arrays stay in the GPU's cache: too small for a cold time");
        }
    }
    return text;
}

// Refuses a problem too large for this machine's memory, where the data is made before a device
// gets it.
void expect_memory(checked_size bytes_moved, io const& io) {
    // If the size of the memory is unknown, it is too large here, and only a problem whose own size
    // is too large is refused.
    auto const installed = io.memory_bytes > 0
                               ? checked_size(io.memory_bytes)
                               : checked_size(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
    // Roughly the bytes of inputs, results and a reference in double.
    auto const needed = bytes_moved * 8;
    if (needed.value <= installed.value && !needed.is_too_large()) return;
    auto const text = [](checked_size size) {
        return size.is_too_large() ? "more than can be counted"
                                   : format_bytes(static_cast<std::uint64_t>(size.value));
    };
    throw failure(exit_status::tool_failed, "this problem takes about " + text(needed) +
                                                " of memory, and this machine has " +
                                                text(installed) + "; try a smaller one");
}

// Prepares a trial. On the host device, kernels that are not in the program are compiled now, if
// the policy allows it.
prepared_trial prepare(trial const& trial, workbench& bench, policy policy, io const& io) {
    std::vector<spec> missing;
    if (bench.target_device().arch().is_host) {
        std::ranges::copy_if(trial.kernels, std::back_inserter(missing),
                             [](spec const& spec) { return !find_host_image(spec); });
    }
    if (!missing.empty() && policy == policy::aot_only) {
        throw failure(exit_status::not_found,
                      "this program has no kernel of '" + missing.front().line() +
                          "' for the host device, and compiles none under aot_only; 'spio list' "
                          "names those it has");
    }
    add_host_kernels(missing, io);
    for (auto const& spec : trial.kernels) bench.prepare(spec);
    return trial.prepare(bench);
}

// The trials of a family; a usage failure if it has none.
trial_family const& trials_named(std::string_view name) {
    if (auto const* const found = trial_family_of(family_named(name))) return *found;
    throw failure(exit_status::usage, "problems of " + std::string(name) +
                                          " can be shown and packed, but this command has no data "
                                          "to run them on");
}

exit_status run_trials(arguments const& args, io const& io) {
    auto const& family = trials_named(args.operands.front());
    auto const seed = args.number("--seed", "1");
    auto const policy =
        args.has("--policy") ? policy_named(args.value("--policy")) : policy_of_environment();
    auto const words = problem_words(args);
    // This trial is created for its checks only: it refuses wrong words before a device is opened.
    create_trial(family, words, arch_named(args.value("--arch", "host")), seed);

    auto const opened = open_runtime(args.value("--device"), policy, read_packs(args, io), io);
    auto const& device = opened.runtime->target_device();
    if (args.has("--time") && !opened.gpu) {
        throw failure(exit_status::usage,
                      "--time measures launches on a GPU, and this would run on the host device" +
                          (opened.no_gpu_reason.empty() ? "" : ": " + opened.no_gpu_reason));
    }
    auto const arch = args.has("--arch") ? arch_named(args.value("--arch")) : device.arch();
    if (!arch.runs_on(device.arch())) {
        throw failure(exit_status::not_found, device.name() + " is " + text_of(device.arch()) +
                                                  " and runs no code for " + quote(text_of(arch)) +
                                                  "; 'spio show' tells of other architectures");
    }
    auto const trial = create_trial(family, words, arch, seed, opened.runtime->configs());
    expect_memory(trial.bytes_moved, io);
    workbench bench(*opened.runtime, policy);
    run_result result = {.problem = std::string(family.name) + " " + trial.problem,
                         .bytes_moved = static_cast<std::uint64_t>(trial.bytes_moved.value),
                         .no_gpu_reason = opened.no_gpu_reason};
    {
        progress const progress(io, "running " + result.problem);
        auto const prepared = prepare(trial, bench, policy, io);
        auto const is_compiled = [](auto const& k) { return k.source.found == origin::compiled; };
        if (std::ranges::any_of(bench.kernels(), is_compiled)) tell_what_is_not_kept(io);
        auto const start = std::chrono::steady_clock::now();
        prepared.launch(bench.queue());
        bench.queue().synchronize();
        std::chrono::duration<double, std::milli> const spent =
            std::chrono::steady_clock::now() - start;
        if (!opened.gpu) result.host_milliseconds = spent.count();
        if (args.has("--check")) result.checked = prepared.check(bench.queue());
    }
    if (args.has("--time")) {
        progress const progress(io, "timing " + result.problem);
        result.timed = measure(opened, bench, trial);
    }
    print_result(args, io, json_of(result, bench), text_of(result, bench));
    bool const is_right = !result.checked || result.checked->wrong == 0;
    return is_right ? exit_status::success : exit_status::check_failed;
}

} // namespace

subcommand run_trial() {
    return {
        .name = "run",
        .operands = "FAMILY KEY=VALUE...",
        .summary = "run a kernel on random data, check and time it",
        .details =
            R"(Without --device, the kernel runs on the first GPU, or on the host device if there is none.
The host device runs the same kernel text, compiled for the processor, and reports races,
deadlocks, accesses outside of arrays and reads of memory that was never written. It does
not find endless loops that read no memory, or variables that are read before they are set
(docs/kernels.md has the whole list). Kernels that this program was built without are
compiled by clang++ now, unless the policy is aot_only. --check compares all results with a
reference in double, and ends with 1 if an error is larger than rounding can explain.
--time replays launches from a graph, over arrays that have left the GPU's cache, and
compares them with a copy of the same bytes.

  spio run axpby n=1000000 --check --time
  spio run layernorm_2d channels=64 positions=4096 --check --device host
  spio run layernorm_2d channels=72 --policy aot_only --pack kernels.spiopack
)",
        .options = {{"--check", "", "compare the results with a reference"},
                    {"--time", "", "measure launches on a GPU"},
                    {"--device", "gpu|gpu:NUMBER|host", "where it runs"},
                    {"--policy", "aot_only|generic_then_jit|aot_then_jit|jit_only",
                     "who is asked for images; else what SPIO_POLICY says"},
                    {"--arch", "ARCH", "code for this architecture, if the device runs it"},
                    {"--seed", "NUMBER", "of the random data; 1 if it is not given"},
                    pack_option,
                    json_option},
        .least_operands = 1,
        .most_operands = 64,
        .run = run_trials};
}

} // namespace spio::command
