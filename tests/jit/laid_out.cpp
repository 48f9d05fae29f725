// Cubins that the test lays out: what is left of each without the data that code does not use.
// SPDX-License-Identifier: Apache-2.0
//
// A cubin is an ELF file: sections with names and contents, symbols that lie in sections, segments
// that say what is loaded, and relocations that name symbols. Spio leaves out the variables that
// only the compiler reads, with the sections of their addresses.
#include <doctest/doctest.h>

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

import spio.jit;
import spio.spec;

using namespace spio::jit;

namespace {

using bytes = std::vector<std::byte>;

// PTX that declares a variable which nothing uses.
constexpr std::string_view no_uses = ".global .align 4 .b8 table[32];\n";

// A section of a cubin: `size` counts only where the file has no bytes for it.
struct section {
    std::string name;
    std::uint32_t type;
    std::string content;
    std::uint64_t alignment;
    std::uint32_t link = 0, info = 0;
    std::uint64_t flags = 0, size = 0;
};

template <class T> std::string text_of(T const& object) {
    return {reinterpret_cast<char const*>(&object), sizeof object};
}
template <class T> void put(bytes& file, std::size_t offset, T const& object) {
    std::memcpy(&file[offset], &object, sizeof object);
}
template <class T> std::vector<T> table_in(bytes const& file, std::size_t offset, std::size_t n) {
    std::vector<T> table(n);
    REQUIRE(offset + n * sizeof(T) <= file.size());
    std::memcpy(table.data(), &file[offset], n * sizeof(T));
    return table;
}

std::uint32_t add_name(std::string& names, std::string const& name) {
    auto const place = static_cast<std::uint32_t>(names.size());
    names += name + '\0';
    return place;
}

// Which section a relocation of the kernel's text names, and how relocations are written.
struct layout {
    bool has_addends, text_needs_table;
};

// A cubin: kernel f (0x0b000001: 11 registers, symbol 1), constants, shared memory, two variables.
bytes cubin_of(layout const& layout) {
    enum number : std::uint16_t {
        none,
        section_names,
        names,
        symbols,
        info,
        text,
        constants,
        addresses,
        relocated_addresses,
        table,
        relocated_table,
        zeros,
        shared,
        relocated_text
    };
    std::string symbol_names(1, '\0');
    std::string symbol_table = text_of(Elf64_Sym{});
    auto const add_symbol = [&](char const* name, std::uint16_t place) {
        Elf64_Sym symbol = {};
        symbol.st_name = add_name(symbol_names, name);
        symbol.st_shndx = place;
        symbol.st_value = symbol_table.size();
        symbol_table += text_of(symbol);
    };
    add_symbol("f", text);
    add_symbol("table", table);
    add_symbol("counter", zeros);
    add_symbol("copy", shared);
    add_symbol("absolute", SHN_ABS);
    auto const relocation = [&](std::uint32_t symbol, std::uint64_t offset) {
        Elf64_Rela entry = {};
        entry.r_offset = offset;
        entry.r_info = ELF64_R_INFO(static_cast<std::uint64_t>(symbol), 2);
        entry.r_addend = 5;
        return text_of(entry).substr(0, layout.has_addends ? sizeof entry : sizeof(Elf64_Rel));
    };
    std::uint32_t const type = layout.has_addends ? SHT_RELA : SHT_REL;
    std::string const prefix = layout.has_addends ? ".rela" : ".rel";
    std::vector<section> sections = {
        {"", SHT_NULL, "", 0},
        {".shstrtab", SHT_STRTAB, "", 1},
        {".strtab", SHT_STRTAB, symbol_names, 1},
        {".symtab", SHT_SYMTAB, symbol_table, 8, names, 2},
        {".nv.info", SHT_LOPROC, "12 bytes of it", 4},
        {".text.f", SHT_PROGBITS, std::string(80, 't'), 128, symbols, 0x0b000001, SHF_EXECINSTR},
        {".nv.constant0.f", SHT_PROGBITS, "constants", 4, 0, text, SHF_INFO_LINK},
        {".nv.constant4", SHT_PROGBITS, std::string(16, 'a'), 8},
        {prefix + ".nv.constant4", type, relocation(2, 0) + relocation(3, 8), 8, symbols,
         addresses},
        {".nv.global.init", SHT_PROGBITS, std::string(32, 'g'), 16},
        {prefix + ".nv.global.init", type, relocation(3, 0), 8, symbols, table},
        {".nv.global", SHT_NOBITS, "", 32, 0, 0, 0, 4},
        {".nv.shared.f", SHT_NOBITS, "", 64, 0, text, SHF_INFO_LINK, 1024},
        {".rela.text.f", type, relocation(layout.text_needs_table ? 2 : 4, 16), 8, symbols, text}};
    std::vector<std::uint32_t> places;
    for (auto const& each : sections) {
        places.push_back(add_name(sections[section_names].content, each.name));
    }
    bytes file(sizeof(Elf64_Ehdr));
    std::vector<Elf64_Shdr> headers;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        auto const& current = sections[i];
        auto const unit = std::max<std::size_t>(current.alignment, 1);
        file.resize((file.size() + unit - 1) / unit * unit);
        bool const is_in_file = current.type != SHT_NOBITS;
        headers.push_back({.sh_name = places[i],
                           .sh_type = current.type,
                           .sh_flags = current.flags,
                           .sh_addr = 0,
                           .sh_offset = file.size(),
                           .sh_size = is_in_file ? current.content.size() : current.size,
                           .sh_link = current.link,
                           .sh_info = current.info,
                           .sh_addralign = current.alignment,
                           .sh_entsize = 0});
        for (char const byte : current.content) file.push_back(static_cast<std::byte>(byte));
    }
    file.resize((file.size() + 7) / 8 * 8);
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_shoff = file.size();
    header.e_shnum = static_cast<std::uint16_t>(headers.size());
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shstrndx = section_names;
    header.e_phoff = file.size() + headers.size() * sizeof headers[0];
    header.e_phentsize = sizeof(Elf64_Phdr);
    // What is loaded, by the first and the last section; the table of segments is one itself.
    struct range {
        std::uint32_t type;
        number first, last;
    };
    std::vector<Elf64_Phdr> segments;
    for (auto const& [kind, first, last] : {range{PT_PHDR, none, none},
                                            {PT_LOAD, text, constants},
                                            {PT_LOAD, text, addresses},
                                            {PT_LOAD, addresses, addresses},
                                            {PT_LOAD, table, zeros},
                                            {PT_LOAD, zeros, shared},
                                            {PT_LOAD, shared, shared},
                                            {PT_NULL, none, none}}) {
        Elf64_Phdr segment = {};
        segment.p_type = kind;
        segment.p_offset = headers[first].sh_offset;
        for (std::size_t n = first; n <= last; ++n) {
            bool const is_in_file = headers[n].sh_type != SHT_NOBITS;
            if (is_in_file) {
                segment.p_filesz = headers[n].sh_offset + headers[n].sh_size - segment.p_offset;
            }
            segment.p_memsz += is_in_file ? 0 : headers[n].sh_size;
        }
        segment.p_memsz += segment.p_filesz;
        segments.push_back(segment);
    }
    header.e_phnum = static_cast<std::uint16_t>(segments.size());
    segments[0].p_offset = header.e_phoff;
    segments[0].p_filesz = segments[0].p_memsz = segments.size() * sizeof segments[0];
    segments.back().p_offset = 1 << 20; // in no section
    for (auto const& each : headers) {
        file.resize(file.size() + sizeof each);
        put(file, file.size() - sizeof each, each);
    }
    for (auto const& each : segments) {
        file.resize(file.size() + sizeof each);
        put(file, file.size() - sizeof each, each);
    }
    put(file, 0, header);
    return file;
}

// What a cubin has, a line each: sections with what they refer to, symbols, and segments with the
// sections in them.
std::string described(bytes const& file) {
    auto const header = table_in<Elf64_Ehdr>(file, 0, 1)[0];
    auto const sections = table_in<Elf64_Shdr>(file, header.e_shoff, header.e_shnum);
    auto const segments = table_in<Elf64_Phdr>(file, header.e_phoff, header.e_phnum);
    auto const text = [&](std::size_t offset) {
        return std::string(reinterpret_cast<char const*>(&file[offset]));
    };
    auto const name = [&](std::size_t n) {
        return n < sections.size()
                   ? text(sections[header.e_shstrndx].sh_offset + sections[n].sh_name)
                   : std::to_string(n);
    };
    std::string lines;
    for (std::size_t n = 0; n < sections.size(); ++n) {
        auto const& current = sections[n];
        bool const is_aligned =
            current.sh_addralign == 0 || current.sh_offset % current.sh_addralign == 0;
        lines += name(n) + (is_aligned ? "" : " not aligned") + " of " +
                 std::to_string(current.sh_size) + " with " + name(current.sh_link) + ", " +
                 name(current.sh_info) + "\n";
        if (current.sh_type != SHT_SYMTAB) continue;
        for (auto const& symbol :
             table_in<Elf64_Sym>(file, current.sh_offset, current.sh_size / 24)) {
            lines += "  " + text(sections[current.sh_link].sh_offset + symbol.st_name) + " in " +
                     name(symbol.st_shndx) + " at " + std::to_string(symbol.st_value) + "\n";
        }
    }
    for (auto const& segment : segments) {
        lines += "segment " + std::to_string(segment.p_type) + " of " +
                 std::to_string(segment.p_filesz) + ", " + std::to_string(segment.p_memsz) + ":";
        for (std::size_t n = 1; n < sections.size(); ++n) {
            auto const& current = sections[n];
            if (current.sh_offset >= segment.p_offset && current.sh_type != SHT_NOBITS &&
                current.sh_offset < segment.p_offset + segment.p_filesz) {
                lines += " " + name(n);
            }
        }
        lines += segment.p_offset == header.e_phoff ? " itself\n" : "\n";
    }
    return lines;
}

} // namespace

TEST_CASE("a cubin keeps its kernels, with all that they refer to, and loses unused variables") {
    auto const cubin = cubin_of({.has_addends = true, .text_needs_table = false});
    auto const smaller = without_unused_data(cubin, no_uses);
    CHECK(described(smaller) == " of 0 with , \n"
                                ".shstrtab of 167 with , \n"
                                ".strtab of 17 with , \n"
                                ".symtab of 144 with .strtab, .strtab\n"
                                "   in  at 0\n"
                                "  f in .text.f at 24\n"
                                "   in  at 0\n"
                                "   in  at 0\n"
                                "  copy in .nv.shared.f at 96\n"
                                "  absolute in 65521 at 120\n"
                                ".nv.info of 14 with , \n"
                                ".text.f of 80 with .symtab, 184549377\n"
                                ".nv.constant0.f of 9 with , .text.f\n"
                                ".nv.shared.f of 1024 with , .text.f\n"
                                ".rela.text.f of 24 with .symtab, .text.f\n"
                                "segment 6 of 280, 280: itself\n"
                                "segment 1 of 89, 89: .text.f .nv.constant0.f\n"
                                "segment 1 of 89, 89: .text.f .nv.constant0.f\n"
                                "segment 1 of 0, 1024:\n"
                                "segment 0 of 0, 0:\n");
    CHECK(without_unused_data(smaller, no_uses) == smaller);
    auto const used = cubin_of({.has_addends = true, .text_needs_table = true});
    CHECK(without_unused_data(used, no_uses) == used);
}

TEST_CASE("what is left of a cubin with any number of its tables changed is as recorded") {
    std::uint64_t digest = spio::fnv("");
    int changed = 0;
    for (bool const has_addends : {false, true}) {
        auto const cubin = cubin_of({.has_addends = has_addends, .text_needs_table = false});
        auto const header = table_in<Elf64_Ehdr>(cubin, 0, 1)[0];
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < sizeof header; i += 2) places.push_back(i);
        for (std::size_t i = header.e_shoff; i < cubin.size(); i += 4) places.push_back(i);
        auto const symbols = table_in<Elf64_Shdr>(cubin, header.e_shoff, 4)[3];
        for (std::size_t i = 0; i < symbols.sh_size; i += 2)
            places.push_back(symbols.sh_offset + i);
        for (auto const place : places) {
            for (int const difference : {-1, 1, 8, 4096, -32768}) {
                auto damaged = cubin;
                std::uint16_t number;
                std::memcpy(&number, &damaged[place], sizeof number);
                put(damaged, place, static_cast<std::uint16_t>(number + difference));
                auto const left = without_unused_data(damaged, no_uses);
                changed += left != damaged;
                digest =
                    spio::fnv({reinterpret_cast<char const*>(left.data()), left.size()}, digest);
            }
        }
    }
    CHECK(changed == 3355); // as recorded
    CHECK(digest == 3891229732947115665U);
}
