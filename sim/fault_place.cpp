// Finds out which program or library the code of a misuse is in.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is a load or store of a kernel that breaks a rule of the simulated GPU; its code is the
// address that follows the load or store in the program.
#include "sim/fault_place.h"

#include "sim/gpu.h"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <climits>
#include <string>
#include <utility>

namespace spio::sim {

static thread_local fault_place last_place;

fault_place const& last_fault_place() { return last_place; }

// The program that runs. The system knows it by the name that it was started by, which need not be
// a path.
static std::string this_program() {
    char path[PATH_MAX];
    auto const length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

void note_fault_place(void const* code, std::string drawing) {
    last_place = {};
    last_place.threads = std::move(drawing);
    Dl_info found = {};
    if (code == nullptr || dladdr(code, &found) == 0 || found.dli_fname == nullptr) return;
    auto const* const start = static_cast<Elf64_Ehdr const*>(found.dli_fbase);
    auto const address = reinterpret_cast<std::uintptr_t>(code);
    auto const base = reinterpret_cast<std::uintptr_t>(start);
    last_place.program = found.dli_fname[0] == '/' ? found.dli_fname : this_program();
    last_place.address = start->e_type == ET_EXEC ? address : address - base;
}

} // namespace spio::sim
