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
import spio.model;
import spio.runtime;
import spio.spec;

using namespace spio;

namespace {

// A folder with caches, which the environment names as long as this exists.
class cache_folder {
  public:
    cache_folder() {
        std::filesystem::create_directories(path + "/models");
        for (auto const* name : {"SPIO_CACHE_DIR", "SPIO_TUNED"}) {
            if (char const* const value = std::getenv(name)) previous[name] = value;
            unsetenv(name);
        }
        setenv("SPIO_CACHE_DIR", path.c_str(), 1);
    }
    cache_folder(cache_folder const&) = delete;
    ~cache_folder() {
        unsetenv("SPIO_CACHE_DIR");
        for (auto const& [name, value] : previous) setenv(name.c_str(), value.c_str(), 1);
    }
    std::string file(std::string const& name) const { return path + "/" + name; }

  private:
    test::folder folder;
    std::string path = folder / "caches";
    std::map<std::string, std::string> previous;
};

} // namespace

// The test launch.refused_files runs this case with a log, and looks for both lines.
TEST_CASE("files of this machine that cannot be used are logged, and change nothing") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    cache_folder const caches;
    std::ofstream(caches.file("tuned.txt")) << "no choice\n";
    std::ofstream(caches.file("models/own.txt")) << "no model\n";
    runtime const gpu({.packs = {}, .driver = &driver, .compiler = &compiler});
    // The files are read when a configuration is first asked for.
    auto const chosen = axpby::specialize({.n = 1000}, sm_90a, gpu.configs());
    auto const config = axpby::best_config({.n = 1000});
    CHECK(chosen.symbol == axpby::specialize({.n = 1000}, config, sm_90a).symbol);
}

TEST_CASE("models of this machine are read when a configuration is first asked for, whichever file "
          "has measured ones") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    cache_folder const caches;
    std::ofstream(caches.file("measured.txt")) << "# nothing was measured\n";
    auto const arch = text_of(arch_of(driver.device(0)));
    for (bool const is_named : {false, true}) {
        for (auto const policy : {policy::aot_only, policy::jit_only}) {
            auto const name = "of a test of files " + std::to_string(is_named) +
                              (policy == policy::aot_only ? " aot_only" : " jit_only");
            // A table of one tree, which is a leaf; no family has models of this name.
            std::ofstream(caches.file("models/own.txt"))
                << "spio-model 3\nname " << name << "\nchip H200\nsource device 0, "
                << driver.device(0).name() << " | " << arch
                << " | a test\nfeature width 00000000 3f800000\ntree u00\n";
            runtime const gpu({.packs = {},
                               .policy = policy,
                               .tuned_file = is_named ? caches.file("measured.txt") : "",
                               .driver = &driver,
                               .compiler = &compiler});
            CHECK(model::find_local(name, arch) == nullptr);
            axpby::specialize({.n = 1000}, sm_90a, gpu.configs());
            bool const is_read = model::find_local(name, arch) != nullptr;
            CHECK(is_read == (policy != policy::aot_only));
        }
    }
}
