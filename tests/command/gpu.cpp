// The command `spio` on a machine with GPUs, for which a fake of CUDA's driver stands.
// SPDX-License-Identifier: Apache-2.0
//
// The fake keeps the GPU's memory and kernels in plain objects (`objects` are those not given
// back), notes every call, and can fail any; expect({}) forgets what was noted and lets none fail.
// A family of kernels solves one kind of problem: axpby computes y = a x + b y of n elements. An
// image is a compiled kernel, a pack a file of images, a manifest a list of problems for one; the
// policy aot_only takes kernels from packs alone. An image is stale if the kernels' text, of which
// it has a digest, has changed. A configuration (threads=128 vectors=1) is how a kernel divides its
// work. SPIO_TUNED is a file of measured ones, SPIO_NVRTC the compiler to load.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

import spio.aot;
import spio.axpby;
import spio.command;
import spio.cuda;
import spio.fake_driver;
import spio.image;
import spio.spec;
import spio.system;
import spio.text;

#include "tests/command/answer.h" // after the imports

using namespace spio;
using command::exit_status;
using test::contains;

namespace {

// A folder of its own, with a pack of what the fake driver takes for a cubin of axpby: an ELF
// header, then the names of kernels.
struct pack_folder {
    test::folder folder;
    std::string pack = folder / "fake.spiopack";

    // The pack has the kernel for this n; with `is_stale` it is that of another source.
    explicit pack_folder(int n = 1000, std::string const& family = "axpby", bool is_stale = false)
        : pack_folder(renamed(axpby::specialize({.n = n}, sm_90a), family), is_stale) {}
    explicit pack_folder(spec const& spec, bool is_stale = false) {
        std::string const text = "\177ELF" + spec.symbol + " " + '\0';
        auto const bytes = std::as_bytes(std::span(text));
        aot::image_to_pack const image = {.kernel = spec,
                                          .kind = image_kind::cubin,
                                          .bytes = {bytes.begin(), bytes.end()},
                                          .compiler = "a test",
                                          .text_digest =
                                              text_digest_of(spec) ^ (is_stale ? 1u : 0u)};
        auto const packed = aot::write_pack(std::span(&image, 1));
        std::ofstream(pack, std::ios::binary)
            .write(reinterpret_cast<char const*>(packed.data()),
                   static_cast<std::streamsize>(packed.size()));
    }
    static spec renamed(spec spec, std::string const& family) {
        spec.family = family;
        return spec;
    }
};

// Runs the command with the words of this line, as if it were installed as `program`.
test::answer ask(std::string_view line, std::filesystem::path const& program = {}) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        auto const end = std::min(line.find(' '), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return test::answer_to(words, program);
}

} // namespace

TEST_CASE("a kernel from a pack is run, checked and timed on a GPU") {
    auto& machine = fake::the_machine();
    machine.expect({});
    pack_folder const packs;
    auto const got =
        ask("run axpby n=1000 --check --time --policy aot_only --seed 3 --pack " + packs.pack);
    CAPTURE(got.told);
    CHECK(got.status == exit_status::success);
    CHECK(contains(got.printed, "axpby n=1000 on device 0, Fake 0 (sm_90a)\n"));
    CHECK(contains(got.printed, "from pack " + packs.pack));
    CHECK(contains(got.printed, "1000 results within what rounding may do"));
    // The fake says that half a millisecond lies between any two events.
    CHECK(contains(got.printed, "  time    25 us, 12 kB at"));
    CHECK(contains(got.printed, "takes 1 times that"));
    CHECK(machine.objects.empty());
    auto const other = ask("run axpby n=1000 --device gpu:1 --json --pack " + packs.pack);
    CHECK(other.status == exit_status::success);
    CHECK(contains(other.printed, "\"name\":\"device 1, Fake 1\""));
    CHECK(contains(other.printed, "\"check\":null,\"time\":null,\"host_milliseconds\":null"));
}

TEST_CASE("the exit status says whether a kernel, a device or a word is the reason not to run") {
    fake::the_machine().expect({});
    pack_folder const packs;
    auto const miss = ask("run axpby n=10000000 --policy aot_only --pack " + packs.pack);
    CHECK(miss.status == exit_status::not_found);
    CHECK(contains(miss.told,
                   "the manifest line that adds it to a pack of sm_90a is: axpby n=10000000"));
    CHECK(ask("run axpby n=1000 --device gpu:2").status == exit_status::not_found);
    CHECK(ask("run axpby n=1000 --device gpu:x").status == exit_status::usage);
    CHECK(ask("run axpby n=1000 --device tpu").status == exit_status::usage);
    CHECK(ask("run axpby n=1000 --arch sm_80").status == exit_status::not_found);
    CHECK(ask("run axpby n=1000 --policy never").status == exit_status::usage);
    auto const large = ask("run axpby n=2147483647 --device gpu --policy aot_only");
    CHECK(large.status != exit_status::success);
    CHECK(large.printed.empty());
}

TEST_CASE("a measured configuration is kept, and chosen from then on") {
    fake::the_machine().expect({});
    // The pack has the second configuration that is worth a trial, and no other.
    axpby::config const second = {.threads = 128, .vectors = 1};
    pack_folder const packs(axpby::specialize({.n = 1000}, second, sm_90a));
    auto const file = packs.folder / "tuned.txt";
    auto const asked = " axpby n=1000 --policy aot_only --pack " + packs.pack;
    CHECK(ask("run" + asked).status == exit_status::not_found);
    auto const got = ask("tune" + asked + " --file " + file);
    CAPTURE(got.told);
    CHECK(got.status == exit_status::success);
    CHECK(contains(got.printed,
                   "axpby n=1000 on Fake 0 (sm_90a)\n  fastest threads=128 vectors=1\n"));
    CHECK(
        contains(got.printed, "25 us; of 12 configurations, of which 11 could not be measured\n"));
    CHECK(read_file(file).ends_with(
        "\nFake 0 | sm_90a | axpby n=1000 | threads=128 vectors=1 | 25 | " +
        std::string(kernel_text_digest().substr(0, 16)) + "\n"));

    setenv("SPIO_TUNED", file.c_str(), 1);
    auto const chosen = ask("run" + asked);
    CAPTURE(chosen.told);
    CHECK(chosen.status == exit_status::success);
    CHECK(contains(ask("show axpby n=1000 --arch sm_90a").printed, "config      threads=128"));
    CHECK(contains(ask("show axpby n=1001 --arch sm_90a").printed, "config      threads=256"));
    auto const other_gpu = ask("run --device gpu:1" + asked);
    CHECK(other_gpu.status == exit_status::not_found);
    setenv("SPIO_TUNED", "off", 1);
    CHECK(ask("run" + asked).status == exit_status::not_found);
    unsetenv("SPIO_TUNED");
}

TEST_CASE("tune says why it cannot measure, and then writes no file") {
    fake::the_machine().expect({});
    test::folder const folder;
    auto const file = folder / "tuned.txt";
    auto const expect = [&](std::string const& words, exit_status status, std::string_view reason) {
        auto const got = ask("tune " + words + " --policy aot_only --file " + file);
        CAPTURE(got.told);
        CHECK(got.status == status);
        CHECK(contains(got.told, reason));
        CHECK(!std::filesystem::exists(file));
    };
    expect("layernorm_2d channels=64 positions=4", exit_status::usage,
           "those that can be tuned are axpby, conv2d and matmul");
    expect("axpby n=1000", exit_status::tool_failed,
           "no configuration of axpby n=1000 could be measured; the first: ");
    expect("axpby n=1000 --best 0", exit_status::usage, "--best is 0");
    expect("axpby m=1", exit_status::usage, "axpby");
    expect("--seed 1", exit_status::usage, "either a family and its problem or a --manifest");
    expect("axpby n=1 --manifest kernels.txt", exit_status::usage, "and not both");
    std::ofstream(file) << "Fake 0 | sm_90a\n";
    pack_folder const packs(axpby::specialize({.n = 1000}, sm_90a));
    auto const damaged = ask("tune axpby n=1000 --file " + file + " --pack " + packs.pack);
    CHECK(damaged.status == exit_status::usage);
    CHECK(contains(damaged.told, "tuned.txt:1: it is no line such as"));
    CHECK(read_file(file) == "Fake 0 | sm_90a\n");
}

TEST_CASE("whichever call of the driver fails, the command succeeds or ends as a failed tool") {
    auto& machine = fake::the_machine();
    pack_folder const packs(5);
    auto const words = "run axpby n=5 --check --time --device gpu --pack " + packs.pack;
    machine.expect({});
    REQUIRE(ask(words).status == exit_status::success);
    long const calls = static_cast<long>(machine.calls.size());
    long failed = 0, harmless = 0;
    // Launches of the timing are all alike.
    long const step = std::max(1L, calls / 400);
    for (long call = 0; call < calls; call += step) {
        machine.expect({.call = call, .code = 2}); // this call fails: out of memory
        auto const got = ask(words);
        CAPTURE(call);
        CAPTURE(machine.failed);
        if (got.status == exit_status::success) {
            ++harmless;
        } else {
            CHECK(got.status == exit_status::tool_failed);
            CHECK(got.told.starts_with("spio: "));
            CHECK(got.printed.empty());
            ++failed;
        }
        machine.objects.clear();
        fake::entered.clear();
        for (int& retained : machine.retained) retained = 0;
    }
    machine.expect({});
    CHECK(ask(words).status == exit_status::success);
    std::cout << "summary: command.gpu.faults: of " << calls << " calls of the driver "
              << failed + harmless << " failed in turn, " << failed << " reported, " << harmless
              << " while giving back or not needed\n";
}

TEST_CASE("a problem that no memory holds is refused before anything is allocated") {
    fake::the_machine().expect({});
    // Of the first, the number of bytes is a multiple of 2^64.
    for (auto const* sizes :
         {"n=524288 c=2097152 h=524288 w=524288", "n=2147483647 c=8 h=8192 w=8192",
          "n=1 c=2147483640 h=65536 w=65536", "n=1048576 c=64 h=32768 w=32768 pass=wgrad"}) {
        for (auto const* device : {"gpu", "host"}) {
            CAPTURE(sizes);
            auto const got = ask("run conv2d " + std::string(sizes) + " --device " + device);
            CHECK(got.status != exit_status::success);
            CHECK(got.printed.empty());
            CHECK(got.told.starts_with("spio: "));
        }
    }
    CHECK(fake::the_machine().objects.empty());
}

TEST_CASE("a pack beside the program that cannot be read is reported, and others are asked") {
    fake::the_machine().expect({});
    pack_folder const packs;
    std::ofstream(packs.folder / "damaged.spiopack") << "no pack";
    auto const program = packs.folder / "spio";
    auto const got = ask("run axpby n=1000 --policy aot_only", program);
    CHECK(got.status == exit_status::success);
    CHECK(contains(got.told, "damaged.spiopack"));
    CHECK(contains(got.told, "; it is not asked\n"));
    CHECK(ask("show axpby n=1000", program).status == exit_status::success);
    auto const named = ask("show axpby n=1000 --pack " + packs.folder / "damaged.spiopack");
    CHECK(named.status == exit_status::check_failed);
}

TEST_CASE("where a kernel is missed, a pack that has it from another source text is named") {
    fake::the_machine().expect({});
    pack_folder const packs(1000, "axpby", /*is_stale=*/true);
    auto const stale = "pack " + packs.pack + " has it of another text, by a test";
    auto const got = ask("run axpby n=1000 --policy aot_only --pack " + packs.pack);
    CHECK(got.status == exit_status::not_found);
    CHECK(contains(got.told, stale + ", and nothing else is asked under aot_only"));
    setenv("SPIO_NVRTC", "/nowhere/libnvrtc.so", 1);
    CHECK(contains(ask("show axpby n=1000 --pack " + packs.pack).printed,
                   "nowhere: " + stale + ", and "));
    unsetenv("SPIO_NVRTC");
}

TEST_CASE("an image of a family that this program does not know is not called stale") {
    pack_folder const packs(1000, "scale_rows");
    auto const got = ask("pack verify " + packs.pack);
    CAPTURE(got.printed);
    CHECK(got.status == exit_status::success);
    CHECK(contains(got.printed, "1 image, all as packed, 0 stale, 1 unknown\n"));
    CHECK(contains(got.printed, "  unknown: scale_rows n=1000 for sm_90a: of no family"));
    CHECK(contains(ask("pack verify --json " + packs.pack).printed,
                   "\"scale_rows n=1000 for sm_90a\""));
}

TEST_CASE("a wrong result is reported, and the command fails") {
    auto& machine = fake::the_machine();
    machine.expect({});
    pack_folder const packs;
    machine.deviation = 0.5f;
    auto const got = ask("run axpby n=1000 --check --pack " + packs.pack);
    auto const as_json = ask("run axpby n=1000 --check --json --pack " + packs.pack);
    machine.deviation = 0;
    CHECK(got.status == exit_status::check_failed);
    CHECK(contains(got.printed, "  WRONG   1000 of 1000 results; the first: y[N(0)] is "));
    CHECK(as_json.status == exit_status::check_failed);
    CHECK(contains(as_json.printed, "\"wrong\":1000"));
}

TEST_CASE("the doctor, which tests a machine, names its GPUs, and what is wrong with a driver") {
    fake::the_machine().expect({});
    auto const good = ask("doctor");
    CHECK(contains(good.printed, "driver          for CUDA 13.0\n"));
    CHECK(contains(good.printed, "GPU 1, Fake 1, sm_90a, 1.07 GB\n"));
    fake::the_machine().driver_version = 12000;
    auto const old = ask("doctor --json");
    fake::the_machine().driver_version = 13000;
    CHECK(old.status == exit_status::check_failed);
    CHECK(contains(old.printed, "\"state\":\"wrong\""));
    CHECK(ask("show axpby n=1000").printed.find("  arch        sm_90a\n") != std::string::npos);
}
