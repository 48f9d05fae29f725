// Files of a machine's own configurations and models that a runtime finds, and cannot use.
// SPDX-License-Identifier: Apache-2.0
//
// A runtime reads tuned.txt and models/*.txt in the folder that SPIO_CACHE_DIR names. The fakes of
// CUDA's driver and of NVRTC, its compiler, make no code.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

import spio.axpby;
import spio.cuda;
import spio.fake_driver;
import spio.fake_nvrtc;
import spio.jit;
import spio.launch;
import spio.runtime;
import spio.spec;

using namespace spio;

// The test launch.refused_files runs this case with a log, and looks for both lines.
TEST_CASE("files of this machine that cannot be used are logged, and change nothing") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    test::folder const folder;
    std::string const caches = folder / "caches";
    std::filesystem::create_directories(caches + "/models");
    std::ofstream(caches + "/tuned.txt") << "no choice\n";
    std::ofstream(caches + "/models/own.txt") << "no model\n";
    std::map<std::string, std::string> previous;
    for (auto const* name : {"SPIO_CACHE_DIR", "SPIO_TUNED"}) {
        if (char const* const value = std::getenv(name)) previous[name] = value;
        unsetenv(name);
    }
    setenv("SPIO_CACHE_DIR", caches.c_str(), 1);
    runtime const gpu({.packs = {}, .driver = &driver, .compiler = &compiler});
    // The files are read when a configuration is first asked for.
    auto const chosen = axpby::specialize({.n = 1000}, sm_90a, gpu.configs());
    unsetenv("SPIO_CACHE_DIR");
    for (auto const& [name, value] : previous) setenv(name.c_str(), value.c_str(), 1);
    auto const config = axpby::best_config({.n = 1000});
    CHECK(chosen.symbol == axpby::specialize({.n = 1000}, config, sm_90a).symbol);
}
