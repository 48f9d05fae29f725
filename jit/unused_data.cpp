// Leaves out of a cubin the data that its code does not use.
// SPDX-License-Identifier: Apache-2.0
//
// NVRTC makes a variable of each constant that the text names, also of those that only the compiler
// reads, and a cubin keeps all variables: most of its bytes, and most of the time of loading it.
// They lie in .nv.global and .nv.global.init; .nv.constant4 has the addresses through which code
// would read them. The relocations of those sections are REL before sm_90 and RELA from there on.
module;

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

module spio.jit;

namespace spio::jit {

// Of symbol_numbers.cpp: the numbers of symbols that a section has; and numbers the symbols anew
// without those of unused sections. False if not all places of such numbers are known.
std::vector<std::uint32_t> symbols_in(std::uint32_t section_type, std::span<std::byte const>);
bool renumber_symbols(std::span<Elf64_Shdr> sections, std::span<std::vector<std::byte>> contents,
                      std::span<Elf64_Sym const>, std::vector<bool> const& is_unused);

namespace {

using bytes = std::vector<std::byte>;
using byte_span = std::span<std::byte const>;

// Copies `count` elements from a place in a file; nothing if they are not inside.
template <class T>
std::optional<std::vector<T>> read(byte_span file, std::uint64_t offset, std::uint64_t count) {
    if (offset > file.size() || count > (file.size() - offset) / sizeof(T)) return {};
    std::vector<T> elements(count);
    if (count > 0) std::memcpy(elements.data(), &file[offset], count * sizeof(T));
    return elements;
}

// Appends an object's bytes.
template <class T> void append_object(bytes& file, T const& object) {
    auto const* const first = reinterpret_cast<std::byte const*>(&object);
    file.insert(file.end(), first, first + sizeof object);
}
void append(bytes& file, byte_span content) {
    file.insert(file.end(), content.begin(), content.end());
}
void align(bytes& file, std::uint64_t alignment) {
    file.resize((file.size() + alignment - 1) / alignment * alignment);
}

// A cubin, taken apart: its sections with their contents, and its symbols.
struct elf_parts {
    Elf64_Ehdr header;
    std::vector<Elf64_Phdr> segments;
    std::vector<Elf64_Shdr> sections;
    std::vector<bytes> contents; // of each section; empty if the file has none for it
    std::vector<Elf64_Sym> symbols;
    std::size_t symbol_table = 0; // its section

    // The text that begins at an offset in a text table, the section of that number.
    std::string_view text(std::size_t table, std::uint64_t offset) const {
        return reinterpret_cast<char const*>(contents[table].data()) + offset;
    }
    std::string_view name(Elf64_Shdr const& section) const {
        return text(header.e_shstrndx, section.sh_name);
    }
    // Whether a section is a table of texts, each of which ends with a zero.
    bool is_text_table(std::size_t section) const {
        return section < sections.size() && sections[section].sh_type == SHT_STRTAB &&
               !contents[section].empty() && contents[section].back() == std::byte(0);
    }
};

// Takes a cubin apart; nothing if it is not laid out as expected.
std::optional<elf_parts> parse(byte_span file) {
    elf_parts parts;
    if (file.size() < sizeof parts.header) return {};
    std::memcpy(&parts.header, file.data(), sizeof parts.header);
    auto const& header = parts.header;
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_shentsize != sizeof(Elf64_Shdr) ||
        (header.e_phnum > 0 && header.e_phentsize != sizeof(Elf64_Phdr))) {
        return {};
    }
    auto sections = read<Elf64_Shdr>(file, header.e_shoff, header.e_shnum);
    auto segments = read<Elf64_Phdr>(file, header.e_phoff, header.e_phnum);
    if (!sections || !segments) return {};
    parts.sections = *sections;
    parts.segments = *segments;
    for (auto const& section : parts.sections) {
        bool const is_in_file = section.sh_type != SHT_NULL && section.sh_type != SHT_NOBITS;
        auto content = read<std::byte>(file, section.sh_offset, is_in_file ? section.sh_size : 0);
        if (!is_in_file) content.emplace();
        constexpr std::uint64_t greatest_alignment = 4096;
        if (!content || section.sh_addralign > greatest_alignment ||
            section.sh_link >= parts.sections.size()) {
            return {};
        }
        parts.contents.push_back(std::move(*content));
        if (section.sh_type == SHT_SYMTAB) {
            if (parts.symbol_table != 0) return {};
            parts.symbol_table = parts.contents.size() - 1;
        }
    }
    if (!parts.is_text_table(header.e_shstrndx) || parts.symbol_table == 0) return {};
    auto const& table = parts.sections[parts.symbol_table];
    if (!parts.is_text_table(table.sh_link)) return {};
    parts.symbols =
        *read<Elf64_Sym>(parts.contents[parts.symbol_table], 0, table.sh_size / sizeof(Elf64_Sym));
    for (auto const& section : parts.sections) {
        if (section.sh_name >= parts.contents[header.e_shstrndx].size()) return {};
    }
    for (auto const& symbol : parts.symbols) {
        if (symbol.st_name >= parts.contents[table.sh_link].size()) return {};
        if (symbol.st_shndx >= parts.sections.size() && symbol.st_shndx < SHN_LORESERVE) return {};
    }
    return parts;
}

// Whether sh_info is the number of a section.
bool names_section(Elf64_Shdr const& section) {
    return section.sh_type == SHT_REL || section.sh_type == SHT_RELA ||
           (section.sh_flags & SHF_INFO_LINK) != 0;
}

// Marks the sections to leave out; nothing if another section needs one of them.
std::optional<std::vector<bool>> unused_sections(elf_parts const& parts) {
    std::set<std::string_view> const data = {".nv.global", ".nv.global.init"};
    std::set<std::string_view> const addresses = {".nv.constant4", ".rel.nv.constant4",
                                                  ".rel.nv.global.init", ".rela.nv.constant4",
                                                  ".rela.nv.global.init"};
    std::vector<bool> is_data, is_unused;
    for (auto const& section : parts.sections) {
        is_data.push_back(data.contains(parts.name(section)));
        is_unused.push_back(is_data.back() || addresses.contains(parts.name(section)));
    }
    for (std::size_t i = 0; i < parts.sections.size(); ++i) {
        auto const& section = parts.sections[i];
        bool const is_table = i == parts.header.e_shstrndx || section.sh_type == SHT_SYMTAB ||
                              section.sh_type == SHT_STRTAB;
        if (is_unused[i] && is_table) return {};
        bool const names_unused = is_unused[section.sh_link] ||
                                  (names_section(section) && section.sh_info < is_unused.size() &&
                                   is_unused[section.sh_info]);
        if (names_unused && !is_unused[i]) return {};
        for (auto const symbol : symbols_in(section.sh_type, parts.contents[i])) {
            if (symbol >= parts.symbols.size()) return {};
            auto const home = parts.symbols[symbol].st_shndx;
            bool const has_home = home < is_data.size();
            // Addresses of functions would be in .nv.constant4 too: code may call through them.
            if (is_unused[i] ? !has_home || !is_data[home] : has_home && is_unused[home]) return {};
        }
    }
    return is_unused;
}

// Moves a segment to where its sections are now. Returns whether any of them is left. Sections that
// the file has no bytes for, such as shared memory, follow the others in memory.
bool move_segment(Elf64_Phdr& segment, std::vector<Elf64_Shdr> const& old_sections,
                  elf_parts const& parts, std::vector<bool> const& is_unused) {
    bool had_sections = false, keeps_sections = false, loses_sections = false;
    std::uint64_t first = ~std::uint64_t{0}, end = 0, zeros = 0, first_zeros = 0;
    for (std::size_t i = 0; i < old_sections.size(); ++i) {
        auto const& section = old_sections[i];
        bool const has_bytes = section.sh_type != SHT_NOBITS;
        bool const is_inside =
            has_bytes ? section.sh_type != SHT_NULL && section.sh_offset >= segment.p_offset &&
                            section.sh_offset - segment.p_offset < segment.p_filesz
                      : segment.p_memsz > segment.p_filesz &&
                            section.sh_offset == segment.p_offset + segment.p_filesz;
        if (!is_inside) continue;
        had_sections = true;
        loses_sections = loses_sections || is_unused[i];
        if (is_unused[i]) continue;
        keeps_sections = true;
        auto const offset = parts.sections[i].sh_offset;
        if (has_bytes) {
            first = std::min<std::uint64_t>(first, offset);
            end = std::max<std::uint64_t>(end, offset + parts.contents[i].size());
        } else {
            first_zeros = offset;
            zeros += section.sh_size;
        }
    }
    if (!keeps_sections) return !had_sections;
    if (!loses_sections) zeros = segment.p_memsz - segment.p_filesz;
    segment.p_offset = end == 0 ? first_zeros : first;
    segment.p_filesz = end == 0 ? 0 : end - first;
    segment.p_memsz = segment.p_filesz + zeros;
    return true;
}

// Puts a cubin together again without the unused sections. Where symbols cannot be renumbered,
// those of unused sections become null, since kernels are described by the numbers of theirs.
bytes assemble(elf_parts parts, std::vector<bool> const& is_unused) {
    std::vector<std::uint32_t> new_number(parts.sections.size());
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < parts.sections.size(); ++i) {
        new_number[i] = is_unused[i] ? 0 : count++;
    }
    // Symbols and their names.
    bool const is_renumbered =
        renumber_symbols(parts.sections, parts.contents, parts.symbols, is_unused);
    auto const names = parts.sections[parts.symbol_table].sh_link;
    bytes new_names(1), new_symbols;
    for (auto symbol : parts.symbols) {
        bool const has_section = symbol.st_shndx < is_unused.size();
        if (has_section && is_unused[symbol.st_shndx]) {
            if (is_renumbered) continue;
            symbol = {};
        } else if (symbol.st_name != 0) {
            auto const name = parts.text(names, symbol.st_name);
            symbol.st_name = static_cast<Elf64_Word>(new_names.size());
            append(new_names, std::as_bytes(std::span(name.data(), name.size() + 1)));
        }
        if (has_section) symbol.st_shndx = static_cast<Elf64_Half>(new_number[symbol.st_shndx]);
        append_object(new_symbols, symbol);
    }
    parts.contents[names] = std::move(new_names);
    parts.contents[parts.symbol_table] = std::move(new_symbols);

    // The header's place, and the contents of the sections in their order.
    bytes file(sizeof parts.header);
    std::vector<std::size_t> order(parts.sections.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {},
                      [&](std::size_t i) { return std::pair(parts.sections[i].sh_offset, i); });
    auto const old_sections = parts.sections;
    for (auto const i : order) {
        auto& section = parts.sections[i];
        if (is_unused[i] || section.sh_type == SHT_NULL) continue;
        align(file, std::max<std::uint64_t>(section.sh_addralign, 1));
        section.sh_offset = file.size();
        if (section.sh_type != SHT_NOBITS) section.sh_size = parts.contents[i].size();
        append(file, parts.contents[i]);
    }
    // The table of sections.
    align(file, alignof(Elf64_Shdr));
    parts.header.e_shoff = file.size();
    for (std::size_t i = 0; i < parts.sections.size(); ++i) {
        auto section = parts.sections[i];
        if (is_unused[i]) continue;
        section.sh_link = new_number[section.sh_link];
        if (names_section(section) && section.sh_info < is_unused.size()) {
            section.sh_info = new_number[section.sh_info];
        }
        append_object(file, section);
    }

    // The table of segments, which may be a segment itself.
    std::vector<Elf64_Phdr> segments;
    std::vector<bool> is_own; // whether the segment is this table
    for (auto segment : parts.segments) {
        is_own.push_back(segment.p_offset == parts.header.e_phoff);
        if (is_own.back() || move_segment(segment, old_sections, parts, is_unused)) {
            segments.push_back(segment);
        } else {
            is_own.pop_back();
        }
    }
    parts.header.e_phoff = file.size();
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (is_own[i]) {
            segments[i].p_offset = parts.header.e_phoff;
            segments[i].p_filesz = segments[i].p_memsz = segments.size() * sizeof segments[i];
        }
        append_object(file, segments[i]);
    }
    parts.header.e_phnum = static_cast<Elf64_Half>(segments.size());
    parts.header.e_shnum = static_cast<Elf64_Half>(count);
    parts.header.e_shstrndx = static_cast<Elf64_Half>(new_number[parts.header.e_shstrndx]);
    std::memcpy(file.data(), &parts.header, sizeof parts.header);
    return file;
}

} // namespace

std::vector<std::byte> without_unused_data(std::vector<std::byte> cubin, std::string_view ptx) {
    if (ptx.empty() || uses_variables(ptx)) return cubin;
    auto parts = parse(cubin);
    if (!parts) return cubin;
    auto const is_unused = unused_sections(*parts);
    if (!is_unused || std::ranges::count(*is_unused, true) == 0) return cubin;
    return assemble(std::move(*parts), *is_unused);
}

} // namespace spio::jit
