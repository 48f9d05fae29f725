// Build ids of ELF files that the test lays out: any notes before the one that counts, and any end.
// SPDX-License-Identifier: Apache-2.0
//
// A note has a header, a name and a value, each padded to four bytes, in a segment of notes. The
// build id is the value of the note of type 3 with the name GNU.
#include <doctest/doctest.h>

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

import spio.jit;

using spio::jit::build_id_in;

namespace {

using bytes = std::vector<unsigned char>;

// Adds bytes at the end of a file that a test makes.
void append(bytes& file, void const* source, std::size_t size) {
    auto const* const first = static_cast<unsigned char const*>(source);
    file.insert(file.end(), first, first + size);
}
void pad(bytes& notes) { notes.resize((notes.size() + 3) / 4 * 4); }

// The bytes of a note.
bytes note(std::uint32_t type, std::string const& name, std::string const& value) {
    Elf64_Nhdr const header = {.n_namesz = static_cast<std::uint32_t>(name.size()),
                               .n_descsz = static_cast<std::uint32_t>(value.size()),
                               .n_type = type};
    bytes result;
    append(result, &header, sizeof header);
    append(result, name.data(), name.size());
    pad(result);
    append(result, value.data(), value.size());
    pad(result);
    return result;
}
std::string const gnu("GNU", 4); // with its zero

// A file with a segment of each kind and content, one after the other.
bytes file_of(std::vector<std::pair<std::uint32_t, bytes>> const& segments) {
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_phoff = sizeof header;
    header.e_phnum = static_cast<std::uint16_t>(segments.size());
    bytes file;
    append(file, &header, sizeof header);
    auto offset = sizeof header + segments.size() * sizeof(Elf64_Phdr);
    for (auto const& [kind, content] : segments) {
        Elf64_Phdr segment = {};
        segment.p_type = kind;
        segment.p_offset = offset;
        segment.p_filesz = content.size();
        append(file, &segment, sizeof segment);
        offset += content.size();
    }
    for (auto const& [kind, content] : segments) append(file, content.data(), content.size());
    return file;
}

std::string hexadecimal(std::string const& value) {
    std::string text;
    for (unsigned char const byte : value) {
        text += {"0123456789abcdef"[byte / 16], "0123456789abcdef"[byte % 16]};
    }
    return text;
}

} // namespace

TEST_CASE("the build id is found behind notes of any size and any name") {
    std::string const long_name = "GNU, but longer", value = "\x01\xff#16 bytes of it";
    for (std::size_t name_size = 0; name_size <= long_name.size(); ++name_size) {
        for (std::size_t value_size = 0; value_size <= value.size(); ++value_size) {
            auto notes = note(NT_GNU_BUILD_ID, long_name.substr(0, name_size), value);
            auto const other = note(NT_GNU_ABI_TAG, gnu, value.substr(0, value_size));
            auto const own = note(NT_GNU_BUILD_ID, gnu, value.substr(0, value_size));
            append(notes, other.data(), other.size());
            append(notes, own.data(), own.size());
            auto const expected = hexadecimal(value.substr(0, value_size));
            CHECK(build_id_in(file_of({{PT_NOTE, notes}})) == expected);
            CHECK(build_id_in(file_of({{PT_LOAD, note(NT_GNU_BUILD_ID, gnu, "no")},
                                       {PT_NOTE, other},
                                       {PT_NOTE, notes}})) == expected);
        }
    }
}

TEST_CASE("a file that ends early, or is damaged, has no build id") {
    bytes notes = note(NT_GNU_ABI_TAG, gnu, "1234");
    auto const own = note(NT_GNU_BUILD_ID, gnu, "abcdefgh");
    append(notes, own.data(), own.size());
    auto const file = file_of({{PT_NOTE, notes}});
    CHECK(build_id_in(file) == hexadecimal("abcdefgh"));
    for (std::size_t size = 0; size < file.size(); ++size) {
        CHECK(build_id_in(bytes(file.begin(), file.begin() + static_cast<long>(size))) == "");
    }
    for (std::size_t i = 0; i < SELFMAG; ++i) {
        auto other = file;
        other[i] ^= 1;
        CHECK(build_id_in(other) == "");
    }
    // Numbers that lead out of the file, and around 64 bits, wherever they stand.
    auto const damaged = [&](std::size_t offset, std::uint64_t number, std::size_t size) {
        auto other = file;
        std::memcpy(&other[offset], &number, size);
        return build_id_in(other);
    };
    for (std::uint64_t const number :
         {std::uint64_t{1} << 20, ~std::uint64_t{0}, ~std::uint64_t{0} - sizeof(Elf64_Phdr) + 1,
          ~std::uint64_t{0} - sizeof(Elf64_Ehdr) + 1}) {
        CAPTURE(number);
        CHECK(damaged(offsetof(Elf64_Ehdr, e_phoff), number, 8) == "");
        CHECK(damaged(sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_offset), number, 8) == "");
        CHECK(damaged(sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_filesz), number, 8) == "");
        auto const header = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
        CHECK(damaged(header + offsetof(Elf64_Nhdr, n_namesz), number, 4) == "");
        CHECK(damaged(header + offsetof(Elf64_Nhdr, n_descsz), number, 4) == "");
    }
    CHECK(damaged(offsetof(Elf64_Ehdr, e_phnum), 0, 2) == "");
}
