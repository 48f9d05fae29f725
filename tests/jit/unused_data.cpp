// Cubins without the variables that their code does not use: real ones, and damaged ones.
// SPDX-License-Identifier: Apache-2.0
//
// A cubin is an ELF file. NVRTC puts a variable into it for each constant that the text names,
// although most are read by the compiler alone; Spio leaves these out. The kernel's PTX tells which
// variables its code uses.
#include <doctest/doctest.h>

#include <elf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

import spio.jit;

using namespace spio::jit;

namespace {

using bytes = std::vector<std::byte>;

// A kernel with constants that only the compiler reads.
constexpr char const* constants_text = R"(
    template <int N> inline constexpr int square = N * N;
    struct numbers { int items[64] = {}; };
    inline constexpr numbers table{{3, 1, 4}};
    extern "C" __global__ void scale(int* p) { p[threadIdx.x] *= square<12> + table.items[2]; })";

bytes compile(std::string const& text, std::string const& arch = "sm_90a") {
    static nvrtc const compiler(SPIO_NVRTC_LIBRARY);
    return compiler.compile({.name = "kernel", .text = text}, arch).cubin;
}

// The contents of the sections by their names, as the file's own tables have them.
std::map<std::string, std::string> sections_of(bytes const& cubin) {
    Elf64_Ehdr header;
    REQUIRE(cubin.size() > sizeof header);
    std::memcpy(&header, cubin.data(), sizeof header);
    std::vector<Elf64_Shdr> table(header.e_shnum);
    std::memcpy(table.data(), &cubin[header.e_shoff], table.size() * sizeof table[0]);
    auto const text = [&](std::size_t offset) {
        return reinterpret_cast<char const*>(&cubin[offset]);
    };
    std::map<std::string, std::string> sections;
    for (auto const& section : table) {
        std::string const name = text(table[header.e_shstrndx].sh_offset + section.sh_name);
        bool const is_in_file = section.sh_type != SHT_NOBITS && section.sh_size > 0;
        sections[name] = is_in_file ? std::string(text(section.sh_offset), section.sh_size) : "";
    }
    return sections;
}

// Kind, access, whether the file has bytes for it, and the bytes that memory has beyond them, of
// each segment. How many bytes the file has depends on where sections are aligned in it.
std::vector<std::array<std::uint64_t, 4>> segments_of(bytes const& cubin) {
    Elf64_Ehdr header;
    std::memcpy(&header, cubin.data(), sizeof header);
    std::vector<Elf64_Phdr> table(header.e_phnum);
    std::memcpy(table.data(), &cubin[header.e_phoff], table.size() * sizeof table[0]);
    std::vector<std::array<std::uint64_t, 4>> segments;
    for (auto const& segment : table) {
        segments.push_back({segment.p_type, segment.p_flags, segment.p_filesz > 0,
                            segment.p_memsz - segment.p_filesz});
    }
    return segments;
}

// The symbols of a table, without the places of their names.
std::string without_names(std::string table) {
    REQUIRE(table.size() % sizeof(Elf64_Sym) == 0);
    for (std::size_t i = 0; i < table.size(); i += sizeof(Elf64_Sym)) {
        std::memset(&table[i + offsetof(Elf64_Sym, st_name)], 0, sizeof(Elf64_Sym::st_name));
    }
    return table;
}

} // namespace

// The kernels of the two texts compute the same: only the first one has constants.
TEST_CASE("constants that only the compiler reads are not in a cubin") {
    std::string const kernel = R"(
        extern "C" __global__ void reverse(int* p) {
            __shared__ int copy[256];
            copy[threadIdx.x] = p[threadIdx.x];
            __syncthreads();
            p[threadIdx.x] = copy[255 - threadIdx.x] * factor;
        })";
    std::string const constants = R"(
        template <int N> inline constexpr int square = N * N;
        struct numbers { int items[64] = {}; };
        inline constexpr numbers table{{3, 1, 4}};
        struct flag {};
        inline constexpr flag empty{};
        inline constexpr int factor = square<12> + table.items[2];)";
    for (std::string const arch : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_90a"}) {
        CAPTURE(arch);
        auto const cubin = compile(constants + kernel, arch);
        auto const plain = compile("enum { factor = 148 };" + kernel, arch);
        auto const sections = sections_of(cubin), plain_sections = sections_of(plain);
        CHECK(sections.contains(".text.reverse"));
        // They differ in the tables of names alone.
        for (auto const& [name, content] : plain_sections) {
            CAPTURE(name);
            REQUIRE(sections.contains(name));
            if (name == ".symtab") {
                CHECK(without_names(sections.at(name)) == without_names(content));
            } else if (name != ".strtab" && name != ".shstrtab") {
                CHECK(sections.at(name) == content);
            }
        }
        CHECK(sections.size() == plain_sections.size());
        CHECK(segments_of(cubin) == segments_of(plain));
        // The names of the sections that were left out.
        CHECK(cubin.size() < plain.size() + 128);
    }
}

TEST_CASE("variables that code reads or writes stay in a cubin") {
    for (std::string const text : {R"(inline constexpr int table[] = {3, 1, 4, 1, 5, 9, 2, 6};
             extern "C" __global__ void f(int* p) { p[0] = table[p[1] & 7]; })",
                                   R"(__device__ int counter;
             extern "C" __global__ void f(int* p) { p[0] = atomicAdd(&counter, 1); })",
                                   R"(__device__ int first = 7;
             __device__ int* pointer = &first;
             extern "C" __global__ void f(int* p) { p[0] = *pointer; })"}) {
        CAPTURE(text);
        auto const sections = sections_of(compile(text));
        CHECK((sections.contains(".nv.global") || sections.contains(".nv.global.init")));
    }
}

TEST_CASE("declarations of variables in PTX are no uses of them") {
    constexpr std::string_view declarations =
        ".visible .global .align 4 .u32 counter;\n"
        ".weak .global .align 8 .b8 table[16] = {1, 2};\n"
        ".global .align 8 .u64 pointer = generic(table);\n"
        ".visible .entry f(.param .u64 f_param_0)\n{\n\tld.global.u32 %r1, [%rd1];\n";
    CHECK(!uses_variables(""));
    CHECK(!uses_variables(declarations));
    CHECK(!uses_variables(std::string(declarations) + "\tmov.u64 %rd2, tables;\n"));
    for (char const* const use : {"\tmov.u64 %rd2, table;\n", "\tst.global.u32 [counter+4], %r1;\n",
                                  "\tld.global.u64 %rd1,[pointer];"}) {
        CHECK(uses_variables(std::string(declarations) + use));
    }
    // Names of all characters that PTX allows, and names that begin or end as a variable's.
    for (std::string const name : {"_a", "a_", "$a", "a$", "%a", "a%", "a9", "zA", "Z", "_Z1aE"}) {
        auto const text = ".global .align 4 .u32 " + name + ";\n";
        CHECK(!uses_variables(text));
        CHECK(uses_variables(text + "\tmov.u64 %rd2, " + name + ";\n"));
        CHECK(uses_variables(text + "\tst.global.u32 [" + name + "], %r1;\n"));
        for (char const more : {'a', 'z', 'A', 'Z', '0', '9', '_', '$', '%'}) {
            CHECK(!uses_variables(text + "\tmov.u64 %rd2, " + name + more + ";\n"));
            CHECK(!uses_variables(text + "\tmov.u64 %rd2, q" + more + name + ";\n"));
        }
    }
}

TEST_CASE("symbols keep their numbers in a cubin with an attribute of an unknown kind") {
    bytes cubin = compile(R"(
        inline constexpr int table[] = {3, 1, 4, 1, 5, 9, 2, 6};
        extern "C" __global__ void f(int* p) { p[0] = table[p[1] & 7]; })");
    constexpr std::string_view no_uses = ".global .align 4 .b8 table[32];\n";
    auto const symbols = [](bytes const& file) { return sections_of(file).at(".symtab").size(); };
    CHECK(symbols(without_unused_data(cubin, no_uses)) < symbols(cubin));
    // An attribute has its format, 4, and its name, here 0x37, the version of the interface.
    auto const info = sections_of(cubin).at(".nv.info.f");
    auto const place = info.find("\x04\x37");
    REQUIRE(place != info.npos);
    auto const begin =
        std::string_view(reinterpret_cast<char const*>(cubin.data()), cubin.size()).find(info);
    cubin[begin + place + 1] = std::byte(0xee);
    auto const smaller = without_unused_data(cubin, no_uses);
    CHECK(symbols(smaller) == symbols(cubin));
    CHECK(smaller.size() < cubin.size());
}

// compile() has left the unused data out; a second time nothing changes.
TEST_CASE("a cubin without unused data stays as it is") {
    bytes const cubin = compile(constants_text);
    CHECK(without_unused_data(cubin, ".global .u32 a;\n") == cubin);
}

TEST_CASE("damaged cubins come back, and nothing is read outside of them") {
    bytes const cubin = compile(R"(
        inline constexpr int table[] = {3, 1, 4, 1, 5, 9, 2, 6};
        extern "C" __global__ void f(int* p) { p[0] = table[p[1] & 7]; })");
    constexpr std::string_view no_uses = ".global .align 4 .b8 table[32];\n";
    auto const smaller = without_unused_data(cubin, no_uses);
    CHECK(smaller.size() < cubin.size());
    CHECK(sections_of(smaller).at(".text.f") == sections_of(cubin).at(".text.f"));
    CHECK(without_unused_data(cubin, "") == cubin);

    // Every number of a section in every header of one, at the edges of what there is.
    Elf64_Ehdr header;
    std::memcpy(&header, cubin.data(), sizeof header);
    for (unsigned n = 0; n < header.e_shnum; ++n) {
        for (auto const field : {offsetof(Elf64_Shdr, sh_link), offsetof(Elf64_Shdr, sh_info)}) {
            for (std::uint32_t const value :
                 {0U, header.e_shnum - 1U, header.e_shnum + 0U, header.e_shnum + 1U, ~0U}) {
                bytes damaged = cubin;
                std::memcpy(&damaged[header.e_shoff + n * sizeof(Elf64_Shdr) + field], &value,
                            sizeof value);
                CHECK(without_unused_data(damaged, no_uses).size() <= damaged.size());
            }
        }
    }

    std::mt19937 random(1);
    int changed = 0;
    constexpr int rounds = 20000;
    for (int round = 0; round < rounds; ++round) {
        bytes damaged = cubin;
        if (round % 4 == 0) damaged.resize(random() % damaged.size());
        for (auto count = random() % 8; count > 0 && !damaged.empty(); --count) {
            // The tables at the two ends of the file are hit more often than what is between.
            auto const size = damaged.size();
            auto const place = random() % 3 == 0 ? random() % std::min<std::size_t>(size, 64)
                               : random() % 2 == 0
                                   ? size - 1 - random() % std::min<std::size_t>(size, 2048)
                                   : random() % size;
            damaged[place] = static_cast<std::byte>(random());
        }
        changed += without_unused_data(damaged, no_uses) != damaged;
    }
    CHECK(changed > 0);
    CHECK(changed < rounds);
    std::cout << "summary: jit.unused_data: " << rounds << " damaged cubins, " << changed
              << " of them without unused data\n";
}
