// How often `spio` launches what it times, and which configurations it goes on measuring.
// SPDX-License-Identifier: Apache-2.0
//
// The fake driver stands in for CUDA's: it records every call, and a kernel takes as long as the
// test says. `spio` times launches by replaying a graph of them between two events; a copy of the
// same bytes is timed beside them. A pack is a file of compiled kernels. A spec is what a kernel is
// compiled from; the policy aot_only takes kernels from packs alone.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <sstream>
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
using test::contains;

namespace {

// A folder with a pack of kernels.
struct kernels_folder {
    test::folder folder;
    std::string pack = folder / "axpby.spiopack";
    std::vector<std::string> symbols;

    explicit kernels_folder(std::vector<spec> const& kernels) {
        std::vector<aot::image_to_pack> images;
        for (auto const& kernel : kernels) {
            symbols.push_back(kernel.symbol);
            auto const text = "\177ELF" + kernel.symbol + " " + '\0';
            auto const bytes = std::as_bytes(std::span(text));
            images.push_back({.kernel = kernel,
                              .kind = image_kind::cubin,
                              .bytes = {bytes.begin(), bytes.end()},
                              .compiler = "a test",
                              .text_digest = text_digest_of(kernel)});
        }
        auto const packed = aot::write_pack(images);
        std::ofstream(pack, std::ios::binary)
            .write(reinterpret_cast<char const*>(packed.data()),
                   static_cast<std::streamsize>(packed.size()));
    }
};

// Runs a command line on the fake GPU.
test::answer ask(std::string const& line) {
    fake::the_machine().expect({});
    std::istringstream input(line);
    std::vector<std::string> words;
    for (std::string word; input >> word;) words.push_back(word);
    return test::answer_to(std::vector<std::string_view>(words.begin(), words.end()));
}

} // namespace

// One replay more, before the others, is not timed.
TEST_CASE("21 replays of at least 20 launches, and of a copy of half the bytes, are timed") {
    for (int const n : {1, 1001, 40'000, 349'526}) {
        CAPTURE(n);
        kernels_folder const folder({axpby::specialize({.n = n}, sm_90a)});
        auto const got = ask("run axpby n=" + std::to_string(n) +
                             " --time --policy aot_only --pack " + folder.pack);
        CAPTURE(got.told);
        REQUIRE(got.status == command::exit_status::success);
        std::map<std::string, int> calls;
        for (auto const* name : fake::the_machine().calls) ++calls[name];
        // The fake GPU has 132 bytes of cache: so many sets of three arrays fill it twice, and two.
        int const bytes = 12 * n, sets = 2 * 132 / bytes + 2, launches = std::max(20, sets);
        CHECK(calls["cuLaunchKernelEx"] == 1 + 2 * launches);
        CHECK(calls["cuMemcpyDtoDAsync"] == 0);
        CHECK(calls["cuGraphLaunch"] == 2 * 22);
        CHECK(calls["cuEventRecord"] == 2 * 2 * 21);
        CHECK(calls["cuEventElapsedTime"] == 2 * 21);
        auto const copied = static_cast<int>(fake::the_machine().copied_bytes);
        CHECK(copied == (bytes / 2 + 15) / 16 * 16);
    }
}

TEST_CASE("a configuration that takes more than 1.25 times the fastest is measured once") {
    std::vector<axpby::config> const configs = {{.threads = 256, .vectors = 1},
                                                {.threads = 128, .vectors = 1},
                                                {.threads = 1024, .vectors = 1},
                                                {.threads = 512, .vectors = 1}};
    std::vector<spec> kernels;
    for (auto const& config : configs) {
        kernels.push_back(axpby::specialize({.n = 1000}, config, sm_90a));
    }
    kernels_folder const folder(kernels);
    auto& machine = fake::the_machine();
    std::map<std::string, double> times;
    std::map<std::string, int> runs;
    machine.milliseconds_of_kernel = [&](std::string const& name) {
        ++runs[name];
        return times.at(name);
    };
    // The times of the four, of which the first is the family's own choice, and which is the best.
    struct measured {
        double milliseconds[4];
        std::size_t best;
        bool goes_on[4];
    };
    for (auto const& [milliseconds, best, goes_on] :
         {measured{{2, 1, 1.25, 1.2500001}, 1, {false, true, true, false}},
          measured{{1, 2, 3, 4}, 0, {true, false, false, false}},
          // The family's own choice stays unless another is faster by half a percent.
          measured{{1.004, 1, 2, 2}, 0, {true, true, false, false}},
          measured{{1.006, 2, 2, 1}, 3, {true, false, false, true}},
          measured{{4, 4, 4, 3.2}, 3, {true, true, true, true}}}) {
        auto const file = folder.folder / "tuned.txt";
        std::filesystem::remove(file);
        for (std::size_t i = 0; i < 4; ++i) times[folder.symbols[i]] = milliseconds[i];
        runs.clear();
        auto const got =
            ask("tune axpby n=1000 --policy aot_only --file " + file + " --pack " + folder.pack);
        CAPTURE(got.told);
        REQUIRE(got.status == command::exit_status::success);
        auto const& config = configs[best];
        auto const text = "fastest threads=" + std::to_string(config.threads) +
                          " vectors=" + std::to_string(config.vectors) + "\n";
        CHECK(contains(got.printed, text));
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(runs[folder.symbols[i]] == (goes_on[i] ? 3 : 1) * 22 * 20);
        }
    }
    machine.milliseconds_of_kernel = nullptr;
}
