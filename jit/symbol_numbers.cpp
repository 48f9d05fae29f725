// Changes the numbers of symbols in the sections of a cubin.
// SPDX-License-Identifier: Apache-2.0
//
// A cubin is an ELF file whose kernels are described by sections of NVIDIA's own: .nv.info has
// attributes of kernels, and .nv.callgraph who calls whom. Their layouts are not documented. If a
// section has anything that is unknown here, the cubin is left unchanged.
module;

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

module spio.jit;

namespace spio::jit {

namespace {

using byte_span = std::span<std::byte const>;
using places = std::optional<std::vector<std::size_t>>;

constexpr std::size_t word = sizeof(std::uint32_t);

// The places of the numbers in a table of relocations: the upper halves of their information.
template <class Relocation> places relocation_places(byte_span content) {
    static_assert(sizeof(Elf64_Xword) == 2 * word);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i + sizeof(Relocation) <= content.size(); i += sizeof(Relocation)) {
        found.push_back(i + offsetof(Relocation, r_info) + word);
    }
    return found;
}

// A table of callers and callees, which begins with symbol 0 beside marks that are no symbols.
places call_places(byte_span content) {
    constexpr std::uint32_t least_mark = 0xfffffff0;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i + word <= content.size(); i += word) {
        std::uint32_t number;
        std::memcpy(&number, &content[i], word);
        if (number < least_mark) found.push_back(i);
    }
    return found;
}

// An attribute has a format, a name and 16 bits: a value, or the size of the value behind them.
// Only values of the latter kind have numbers of symbols.
places attribute_places(byte_span content) {
    constexpr std::byte has_size{4};
    // The names are numbers. The value of these attributes begins with a symbol: they describe the
    // parameters, frames, stacks and registers of a kernel.
    constexpr unsigned with_symbol[] = {0x0a, 0x11, 0x12, 0x23, 0x2f};
    // All words of this value are symbols: those that a kernel uses of other files.
    constexpr unsigned of_symbols = 0x0f;
    // These values have no symbols: they are numbers, sizes of blocks and clusters, parameters, or
    // offsets in the code.
    constexpr unsigned numbers[] = {0x05, 0x10, 0x17, 0x1c, 0x1d, 0x1e, 0x25, 0x28,
                                    0x29, 0x31, 0x34, 0x36, 0x37, 0x39, 0x3d};
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < content.size();) {
        if (content.size() - i < word) return {};
        auto const name = std::to_integer<unsigned>(content[i + 1]);
        std::uint16_t size;
        std::memcpy(&size, &content[i + 2], sizeof size);
        bool const is_sized = content[i] == has_size;
        i += word;
        if (!is_sized) continue;
        if (content.size() - i < size) return {};
        if (name == of_symbols) {
            for (std::size_t k = 0; k + word <= size; k += word) found.push_back(i + k);
        } else if (std::ranges::find(with_symbol, name) != std::end(with_symbol)) {
            if (size < word) return {};
            found.push_back(i);
        } else if (std::ranges::find(numbers, name) == std::end(numbers)) {
            return {};
        }
        i += size;
    }
    return found;
}

// The places in a section where it has numbers of symbols; nothing if that is not known.
places places_of(std::uint32_t section_type, byte_span content) {
    constexpr std::uint32_t info = SHT_LOPROC, callgraph = SHT_LOPROC + 1;
    constexpr std::uint32_t relocation_actions = SHT_LOPROC + 0xb,
                            compatibility = SHT_LOPROC + 0x86;
    switch (section_type) {
    case SHT_REL:
        return relocation_places<Elf64_Rel>(content);
    case SHT_RELA:
        return relocation_places<Elf64_Rela>(content);
    case info:
        return attribute_places(content);
    case callgraph:
        return call_places(content);
    case SHT_NULL:
    case SHT_PROGBITS:
    case SHT_SYMTAB:
    case SHT_STRTAB:
    case SHT_NOTE:
    case SHT_NOBITS:
    case relocation_actions:
    case compatibility:
        return std::vector<std::size_t>();
    default:
        return {};
    }
}

std::uint32_t number_at(byte_span content, std::size_t place) {
    std::uint32_t number;
    std::memcpy(&number, &content[place], word);
    return number;
}

// In the section of a kernel's code, sh_info has the number of the kernel's symbol in its low 24
// bits, and the number of its registers above them.
constexpr std::uint32_t symbol_mask = 0xffffff;
bool is_code(Elf64_Shdr const& section) { return (section.sh_flags & SHF_EXECINSTR) != 0; }

} // namespace

// The numbers of symbols that a section has, as far as they are known.
std::vector<std::uint32_t> symbols_in(std::uint32_t section_type, byte_span content) {
    std::vector<std::uint32_t> numbers;
    for (auto const place : places_of(section_type, content).value_or(std::vector<std::size_t>())) {
        numbers.push_back(number_at(content, place));
    }
    return numbers;
}

// Numbers the symbols anew without those of unused sections, wherever other sections have numbers
// of symbols. Returns false, and changes nothing, if not all such places are known.
bool renumber_symbols(std::span<Elf64_Shdr> sections, std::span<std::vector<std::byte>> contents,
                      std::span<Elf64_Sym const> symbols, std::vector<bool> const& is_unused) {
    std::vector<std::uint32_t> numbers;
    std::uint32_t count = 0;
    for (auto const& symbol : symbols) {
        bool const is_left = symbol.st_shndx >= is_unused.size() || !is_unused[symbol.st_shndx];
        numbers.push_back(is_left ? count++ : 0);
    }
    std::vector<places> found;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        found.push_back(places_of(sections[i].sh_type, contents[i]));
        if (is_unused[i]) continue;
        if (!found[i]) return false;
        if (is_code(sections[i]) && (sections[i].sh_info & symbol_mask) >= symbols.size())
            return false;
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_info > symbols.size()) return false;
    }
    for (std::size_t i = 0; i < sections.size(); ++i) {
        auto& section = sections[i];
        if (is_unused[i]) continue;
        for (auto const place : *found[i]) {
            auto const number = numbers[number_at(contents[i], place)];
            std::memcpy(&contents[i][place], &number, word);
        }
        if (is_code(section)) {
            auto const symbol = section.sh_info & symbol_mask;
            section.sh_info += numbers[symbol] - symbol;
        }
        // Local symbols come first; sh_info is their number.
        if (section.sh_type == SHT_SYMTAB && section.sh_info > 0) {
            auto const locals = std::span(numbers).first(section.sh_info);
            section.sh_info = std::ranges::max(locals) + 1;
        }
    }
    return true;
}

} // namespace spio::jit
