// Where in a program the code of a misuse is, so that debug information can tell its line.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call of a kernel that breaks a rule of the simulated GPU.
#pragma once

#include <cstdint>
#include <string>

namespace spio::sim {

struct fault_place {
    std::string program;        // or library
    std::uintptr_t address = 0; // of the code, as in the file of that name; 0: it is unknown
    std::string threads;        // a drawing of what the threads of the block did then
};

// Where the misuse is that the last launch of this thread returned. It is known if the misuse was a
// load or a store.
fault_place const& last_fault_place();

} // namespace spio::sim
