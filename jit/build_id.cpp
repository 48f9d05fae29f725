// Reads the notes of an ELF file, as if it were damaged.
// SPDX-License-Identifier: Apache-2.0
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

// Some of them, or none if there are not so many.
bytes part(bytes of, std::uint64_t at, std::uint64_t count) {
    if (at > of.size() || count > of.size() - at) return {};
    return of.subspan(at, count);
}
template <class T> bool read(bytes from, std::uint64_t at, T& to) {
    auto const there = part(from, at, sizeof to);
    if (there.empty()) return false;
    std::memcpy(&to, there.data(), sizeof to);
    return true;
}

std::string build_id_of_notes(bytes notes) {
    auto const padded = [](std::uint64_t n) { return (n + 3) / 4 * 4; };
    ElfW(Nhdr) note;
    for (std::uint64_t at = 0; read(notes, at, note);) {
        auto const name = at + sizeof note, id = name + padded(note.n_namesz);
        at = id + padded(note.n_descsz);
        auto const named = part(notes, name, note.n_namesz);
        auto const is = part(notes, id, note.n_descsz);
        bool const is_gnu = named.size() == 4 && std::memcmp(named.data(), "GNU", 4) == 0;
        if (note.n_type == NT_GNU_BUILD_ID && is_gnu && !is.empty()) return cache::hexadecimal(is);
    }
    return {};
}

} // namespace

std::string build_id_in(std::span<unsigned char const> file) {
    ElfW(Ehdr) head;
    if (!read(file, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return {};
    for (unsigned i = 0; i < head.e_phnum; ++i) {
        ElfW(Phdr) segment;
        auto const at = std::uint64_t{i} * sizeof segment;
        if (at > UINT64_MAX - head.e_phoff || !read(file, head.e_phoff + at, segment)) return {};
        if (segment.p_type != PT_NOTE) continue;
        auto id = build_id_of_notes(part(file, segment.p_offset, segment.p_filesz));
        if (!id.empty()) return id;
    }
    return {};
}

} // namespace spio::jit
