// Has the kernel map this library's code and constants when the library is loaded.
// SPDX-License-Identifier: Apache-2.0
//
// Otherwise each page is mapped when it is first touched, which the first call of an operator waits
// for: its 24 faults take 5 us each. A segment is a part of the file that is mapped with the same
// rights.
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 // of Linux 5.14
#endif

namespace {

using address = std::uintptr_t;

// Maps the pages of a segment that is only read. A system that cannot do so maps them later.
void map(address first, std::size_t size) {
    auto const page = static_cast<address>(sysconf(_SC_PAGESIZE));
    auto const start = first / page * page;
    madvise(reinterpret_cast<void*>(start), first + size - start, MADV_POPULATE_READ);
}

// Maps the segments of the library that has this address; called for each library of the process.
int map_library(dl_phdr_info* library, std::size_t, void* own_address) {
    auto const own = reinterpret_cast<address>(own_address);
    bool is_own = false;
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        auto const& segment = library->dlpi_phdr[i];
        auto const first = library->dlpi_addr + segment.p_vaddr;
        is_own = is_own || (segment.p_type == PT_LOAD && own - first < segment.p_memsz);
    }
    if (!is_own) return 0; // asks for the next library
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        auto const& segment = library->dlpi_phdr[i];
        bool const is_constant = segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0;
        if (is_constant) map(library->dlpi_addr + segment.p_vaddr, segment.p_filesz);
    }
    return 1;
}

// Called when the library is loaded.
[[gnu::constructor]] void map_own_pages() {
    dl_iterate_phdr(map_library, reinterpret_cast<void*>(&map_own_pages));
}

} // namespace
