// A library whose load takes as long as a test wants.
// SPDX-License-Identifier: Apache-2.0
//
// It stands for NVRTC in tests of programs that fork while a library is being loaded. The load
// creates the file SPIO_TEST_LOAD_BEGUN, and ends once a test has created the file
// SPIO_TEST_LOAD_MAY_END.
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
