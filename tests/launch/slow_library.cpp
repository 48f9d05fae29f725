// A library that takes as long to load as a test wants: from one file's appearance to another's.
// SPDX-License-Identifier: Apache-2.0
//
// It stands for NVRTC in tests of programs that fork while a library is being loaded.
#include <cstdlib>
#include <fstream>

#include <unistd.h>

[[gnu::constructor]] static void load() {
    char const* const begun = std::getenv("SPIO_TEST_LOAD_BEGUN");
    char const* const may_end = std::getenv("SPIO_TEST_LOAD_MAY_END");
    if (begun == nullptr || may_end == nullptr) return;
    std::ofstream{begun};
    while (access(may_end, F_OK) != 0) usleep(1000);
}
