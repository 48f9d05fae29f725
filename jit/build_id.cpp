// Finds the build id of a library in its ELF file, which may be damaged.
// SPDX-License-Identifier: Apache-2.0
//
// The build id is a note by which a linker tells two builds of a library apart. That of NVRTC is a
// part of the keys under which compiled kernels are cached.
module;

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

module spio.jit;

import spio.cache;

namespace spio::jit {

namespace {

using bytes = std::span<unsigned char const>;

// `count` bytes of a file from `offset` on; empty if the file ends before.
bytes part(bytes file, std::uint64_t offset, std::uint64_t count) {
    if (offset > file.size() || count > file.size() - offset) return {};
    return file.subspan(offset, count);
}
// Reads a number of the file into `value`; false if the file ends before it.
template <class T> bool read(bytes file, std::uint64_t offset, T& value) {
    auto const source = part(file, offset, sizeof value);
    if (source.empty()) return false;
    std::memcpy(&value, source.data(), sizeof value);
    return true;
}

// The build id among the notes of a segment, each of which has a header, a name and a value.
std::string build_id_of_notes(bytes notes) {
    auto const padded = [](std::uint64_t size) { return (size + 3) / 4 * 4; };
    ElfW(Nhdr) note;
    for (std::uint64_t offset = 0; read(notes, offset, note);) {
        auto const name_offset = offset + sizeof note;
        auto const id_offset = name_offset + padded(note.n_namesz);
        offset = id_offset + padded(note.n_descsz);
        auto const name = part(notes, name_offset, note.n_namesz);
        auto const id = part(notes, id_offset, note.n_descsz);
        bool const is_gnu = name.size() == 4 && std::memcmp(name.data(), "GNU", 4) == 0;
        if (note.n_type == NT_GNU_BUILD_ID && is_gnu && !id.empty()) return cache::hexadecimal(id);
    }
    return {};
}

} // namespace

std::string build_id_in(std::span<unsigned char const> file) {
    ElfW(Ehdr) head;
    if (!read(file, /*offset=*/0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return {};
    for (unsigned i = 0; i < head.e_phnum; ++i) {
        ElfW(Phdr) segment;
        auto const offset = std::uint64_t{i} * sizeof segment;
        if (offset > UINT64_MAX - head.e_phoff || !read(file, head.e_phoff + offset, segment)) {
            return {};
        }
        if (segment.p_type != PT_NOTE) continue;
        auto id = build_id_of_notes(part(file, segment.p_offset, segment.p_filesz));
        if (!id.empty()) return id;
    }
    return {};
}

} // namespace spio::jit
