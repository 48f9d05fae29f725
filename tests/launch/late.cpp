// A runtime opens folders and reads tables when it needs them: not for a kernel that a pack has.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from; a pack is a file of compiled kernels. The cache's
// folder keeps what was compiled at run time, the table configurations that were measured. The fake
// driver and the fake NVRTC stand for CUDA's. axpby is y = a x + b y.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

import spio.aot;
import spio.axpby;
import spio.cache;
import spio.cuda;
import spio.fake_driver;
import spio.fake_images;
import spio.fake_nvrtc;
import spio.image;
import spio.jit;
import spio.launch;
import spio.runtime;
import spio.spec;
import spio.tuned;

using namespace spio;

TEST_CASE("what a kernel from a pack does not need is opened when it is asked for") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    test::folder const folder;
    auto const cache_folder = folder / "cache", table = folder / "table.txt";
    auto const shipped = axpby::specialize({.n = 1000}, sm_90a);
    std::vector<std::byte> const pack = fake::pack_bytes({shipped});
    cache::options cache;
    cache.folder = cache_folder;
    setenv("SPIO_TUNED", table.c_str(), 1);
    runtime const gpu({.packs = {aot::pack(pack, "p", /*keeper=*/{})},
                       .policy = policy::generic_then_jit,
                       .cache = cache,
                       .driver = &driver,
                       .compiler = &compiler});
    gpu.load(shipped);
    CHECK(gpu.all_images().count().packed == 1);
    CHECK(gpu.all_images().count().folder.publish_failures == 0);
    CHECK(!std::filesystem::exists(cache_folder));
    auto const other = axpby::specialize({.n = 10'000'000}, sm_90a);
    CHECK(gpu.all_images().find(other).found == origin::compiled);
    CHECK(std::filesystem::exists(cache_folder));
    // The table is written only now.
    tuned::add(table, {{{driver.device(0).name(), "sm_90a", "axpby n=1"},
                        {.config = "threads=96 vectors=1",
                         .microseconds = 1,
                         .kernel_text = tuned::digest_of_kernels()}}});
    auto const found = gpu.configs().find({"axpby", "n=1", sm_90a});
    unsetenv("SPIO_TUNED");
    REQUIRE(found);
    CHECK(found->config == "threads=96 vectors=1");
    CHECK(found->origin == config_origin::tuned);
    // It was read once.
    std::filesystem::remove(table);
    CHECK(gpu.configs().find({"axpby", "n=1", sm_90a}));
}

TEST_CASE("no kernel is looked for while another library captures the stream of its launch") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    test::folder const folder;
    cache::options cache;
    cache.folder = folder / "cache";
    runtime const gpu({.packs = {},
                       .policy = policy::aot_then_jit,
                       .cache = cache,
                       .driver = &driver,
                       .compiler = &compiler});
    cuda::context const context(driver.device(0));
    cuda::stream const foreign(context);
    stream const borrowed(gpu.target_device(), cuda::stream_ref(foreign).handle());
    auto const spec = axpby::specialize({.n = 1000}, sm_90a);
    cuda::begin_capture(foreign);
    CHECK_THROWS_AS(gpu.load(spec, borrowed), spio::error);
    auto const count = gpu.all_images().count();
    CHECK(count.compiled + count.missed == 0);
    CHECK(gpu.all_kernels().loaded() == 0);
    cuda::end_capture(foreign);
    gpu.load(spec, borrowed);
    CHECK(gpu.all_images().count().compiled == 1);
    cuda::begin_capture(foreign);
    CHECK_NOTHROW(gpu.load(spec, borrowed)); // it is loaded
    cuda::end_capture(foreign);
}
