// Prints how many planted misuses and correct kernels the tests of the host device have launched.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. A planted kernel has a misuse on purpose.
#include "misuse.h"

#include <cstdio>

// Prints when the program ends, after all tests.
struct figures {
    ~figures() {
        std::printf("summary: sim: %d planted misuses reported, %d correct kernels silent\n",
                    planted::misuses_reported, planted::correct_kernels);
    }
};
static figures const printed_at_exit;
