// A kernel that one process compiled is found on disk by the next, which never opens NVRTC.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. An image is a compiled kernel. The host device simulates a GPU on the CPU. A policy
// says whether images come from packs (files of them), from a compiler at run time, or both.
// no_source stands for packs, or for a compiler, where there are none.
#include "tests/folder.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

import spio.axpby;
import spio.cache;
import spio.image;
import spio.jit;
import spio.launch;
import spio.spec;

using namespace spio;

namespace {

// Whether NVRTC is loaded into this process.
bool has_nvrtc() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find("libnvrtc.so") != line.npos) return true;
    }
    return false;
}

// Whether the compiled kernel comes from the expected origin, and NVRTC was opened only to compile.
bool find(std::string const& folder, origin expected) {
    cache::options options;
    options.folder = folder;
    cache::folders store(options);
    jit::just_in_time const compiler(store);
    no_source const no_pack;
    images const images(no_pack, compiler, policy::aot_then_jit);
    auto const start = std::chrono::steady_clock::now();
    auto const found = images.find(axpby::specialize({.n = 1000}, sm_80));
    std::chrono::duration<double, std::milli> const spent =
        std::chrono::steady_clock::now() - start;
    std::printf("summary: launch.second_start: %s in %.3f ms\n", name_of(found.found).data(),
                spent.count());
    std::fflush(stdout);
    return found.found == expected && has_nvrtc() == (expected == origin::compiled);
}

// The same in a process of its own.
bool succeeds(std::string const& folder, origin expected) {
    pid_t const child = fork();
    if (child == 0) {
        try {
            _exit(find(folder, expected) ? 0 : 1);
        } catch (std::exception const& e) {
            std::fprintf(stderr, "%s\n", e.what());
            _exit(2);
        }
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

int main() {
    test::folder const folder;
    bool const is_right =
        succeeds(folder.path, origin::compiled) && succeeds(folder.path, origin::disk);
    return is_right ? 0 : 1;
}
