// Layouts written as text put elements where the types of the algebra do.
// SPDX-License-Identifier: Apache-2.0
//
// `spio` is the project's command: it compiles, runs, measures and lists kernels. `spio draw`
// prints where a layout puts the elements of a tensor in memory. A layout is a list of axes, the
// last of which is the fastest; k / 8 counts eights of k, and k % 8 the places within them.
// axis<K>(32) is the dimension K with 32 values.
#include <doctest/doctest.h>

#include "spio/dims.h"
#include "spio/swizzle.h"
#include "tests/folder.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

import spio.command;
import spio.system;

using namespace spio;
using command::exit_status;

namespace {

struct I : dim {
    using dim::dim;
};
struct J : dim {
    using dim::dim;
};
struct K : dim {
    using dim::dim;
};
// An element of 16 bytes.
struct cell {
    unsigned words[4];
};

// The axes of a tile of 4 x 16 x 32.
constexpr auto j = axis<J>(4);
constexpr auto i = axis<I>(16);
constexpr auto k = axis<K>(32);

// What the command prints to stdout, and what it says on stderr.
struct answer {
    exit_status status;
    std::string printed, told;
};
// Runs the command with these words; returns its status and what it prints.
answer ask(std::vector<std::string_view> const& words) {
    answer result;
    result.status =
        command::run(words, {.print = [&](std::string_view part) { result.printed += part; },
                             .tell = [&](std::string_view part) { result.told += part; },
                             .is_interactive = false,
                             .open_driver = {}});
    return result;
}

// Compares the offsets that the command prints of a layout's text with those of the tensor's type.
template <class Tensor> void compare(std::string_view text) {
    CAPTURE(text);
    auto const object = ask({"draw", text, "j=4", "i=16", "k=32", "--json"}).printed;
    auto const bytes = "\"element_bytes\":" + std::to_string(sizeof(typename Tensor::data_type));
    CHECK(object.find(bytes + ",") != object.npos);
    std::string_view const key = "\"offsets\":[";
    auto const begin = object.find(key);
    REQUIRE(begin != object.npos);
    std::istringstream offsets(object.substr(begin + key.size()));
    long long differences = 0;
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 16; ++i) {
            for (int k = 0; k < 32; ++k) {
                long long offset = -1;
                char comma;
                offsets >> offset >> comma;
                differences += offset != Tensor()[J(j)][I(i)][K(k)].offset();
            }
        }
    }
    CHECK(differences == 0);
}

} // namespace

TEST_CASE("a layout that is written as text puts elements where its type does") {
    compare<tensor<float, j, i, k>>("j, i, k");
    compare<tensor<short, k / 8, j, i, k % 8>>("tensor<half, k / 8, j, i, k % 8>");
    compare<tensor<float, k / 16, i / 4, j, i % 4, k % 16>>(
        "tensor<float,k/16,i/4,j,i%4,(k % 16)>");
    compare<tensor<short, (k % 16) / 8, j, k / 16, i, k % 8>>(
        "tensor<half, (k % 16) / 8, j, k / 16, i, k % 8>");
    compare<tensor<char, j, i, swizzle(k / 8, i % 4), k % 8>>(
        "tensor<char, j, i, swizzle(k / 8, i % 4), k % 8>");
    compare<tensor<int, j, k / 16, i / 16, checkerboard(i % 16, (k % 16) / 8), k % 8>>(
        "tensor<int, j, k / 16, i / 16, checkerboard(i % 16, (k % 16) / 8), k % 8>");
}

TEST_CASE("draw prints addresses, banks or offsets, and refuses what the algebra refuses") {
    auto const drawn = ask({"draw", "tensor<half, k / 8, i, k % 8>", "i=2", "k=16"});
    CHECK(drawn.status == exit_status::success);
    CHECK(drawn.printed == "32 elements of half, 64 bytes; the byte address of each\n\n"
                           "     k     0     1     2     3     4     5     6     7     8     9"
                           "    10    11    12    13    14    15\n"
                           "i    0     0     2     4     6     8    10    12    14    32    34"
                           "    36    38    40    42    44    46\n"
                           "i    1    16    18    20    22    24    26    28    30    48    50"
                           "    52    54    56    58    60    62\n");
    CHECK(ask({"draw", "cell, k", "k=4"}).status == exit_status::usage);
    for (auto const file : {"/no/such/file", "/"}) { // which is not a layout without sizes
        auto const missing = ask({"draw", file});
        CHECK(missing.status == exit_status::not_found);
        CHECK(missing.told.find("'" + std::string(file) + "' is no file of layouts") !=
              missing.told.npos);
    }
    auto const banks = ask({"draw", "tensor<cell, k>", "k=10", "--value", "bank"}).printed;
    CHECK(banks.find("0     4     8    12    16    20    24    28     0     4\n") != banks.npos);
    auto const object = ask({"draw", "k, i", "i=2", "k=3", "--json"}).printed;
    CHECK(object.find("\"offsets\":[0,2,4,1,3,5]") != object.npos);
    std::string const parentheses(100'000, '(');
    struct refusal {
        std::vector<std::string_view> words;
        std::string_view told;
    };
    for (refusal const& each :
         {refusal{{"k / 8, k % 4", "k=32"}, "do not meet: one ends at 4, and the next begins at 8"},
          refusal{{"k, k", "k=32"}, "two axes count 'k' in steps of 1"},
          refusal{{"k / 5, k % 5", "k=32"}, "an axis of 32 steps cannot be folded by 5"},
          refusal{{"k", "k=32", "i=2"}, "the layout places no 'i'"},
          refusal{{"k, i", "k=32"}, "the size of 'i' is missing"},
          refusal{{"tensor<floot, k>", "k=32"}, "the element 'floot' is none of char, half"},
          refusal{{"tensor<float, k", "k=32"}, "has no '>' at character"},
          refusal{{"swizzle(k, i), i", "k=6", "i=2"}, "a swizzle places a power of two"},
          refusal{{"checkerboard(k, i)", "k=6", "i=3"}, "a checkerboard has two colors, not 3"},
          refusal{{"k, i", "k=65", "i=64"}, "are more than the 4096 that are drawn"},
          refusal{{"a,b,c,d,e,f", "a=4096", "b=4096", "c=4096", "d=4096", "e=4096", "f=4096"},
                  "are more than the 4096 that are drawn"},
          refusal{{parentheses, "k=4"}, "at most 1000 characters"}, refusal{{"k %", "k=4"}, ""}}) {
        std::vector<std::string_view> words = {"draw"};
        words.insert(words.end(), each.words.begin(), each.words.end());
        auto const refused = ask(words);
        CAPTURE(refused.told);
        CHECK(refused.status == exit_status::usage);
        CHECK(refused.told.find(each.told) != std::string::npos);
    }
}

TEST_CASE("draw shows which lanes hold the elements of a fragment") {
    auto const drawn = ask({"draw", "tensor<half, i % 8, k / 2 % 4, k / 8, i / 8, k % 2>", "i=16",
                            "k=16", "--value", "lane"});
    CHECK(drawn.status == exit_status::success);
    // The left factor of mma.m16n8k16: four lanes share a row, each with two columns of each eight.
    std::string wanted = "256 elements of half, 512 bytes; the lane of each\n\n     k";
    auto const add = [&](int number) {
        auto const digits = std::to_string(number);
        wanted += std::string(6 - digits.size(), ' ') + digits;
    };
    for (int column = 0; column < 16; ++column) add(column);
    for (int row = 0; row < 16; ++row) {
        wanted += "\ni" + std::string(row < 10 ? 4 : 3, ' ') + std::to_string(row);
        for (int column = 0; column < 16; ++column) add(row % 8 * 4 + column / 2 % 4);
    }
    CHECK(drawn.printed == wanted + "\n");
    auto const uneven = ask({"draw", "k", "k=40", "--value", "lane"});
    CHECK(uneven.status == exit_status::usage);
    CHECK(uneven.told.find("40 elements cannot be shared evenly by 32 lanes") != uneven.told.npos);
}

TEST_CASE("draw takes layouts with their sizes from a file") {
    test::folder const folder;
    std::string const file = folder / "layouts";
    std::ofstream(file) << "# Two layouts of a tile.\n"
                           "tensor<half, k / 8, i, k % 8> i=2 k=16\n"
                           "k, i   i=2 k=3 # transposed\n";
    auto const first = ask({"draw", "tensor<half, k / 8, i, k % 8>", "i=2", "k=16"}).printed;
    auto const second = ask({"draw", "k, i", "i=2", "k=3"}).printed;
    CHECK(ask({"draw", file}).printed ==
          "tensor<half, k / 8, i, k % 8>\n" + first + "\nk, i\n" + second);
    CHECK(ask({"draw", file, "--json"}).printed.starts_with("{\"layouts\":["));
    std::string const picture = folder / "picture.svg";
    auto const refused = ask({"draw", file, "--svg", picture});
    CHECK(refused.status == exit_status::usage);
    CHECK(refused.told.find("a picture has one layout") != refused.told.npos);
    std::ofstream(file) << "k, i i=2 k=3\n";
    CHECK(ask({"draw", file, "--svg", picture}).printed == second);
    CHECK(std::filesystem::file_size(picture) > 0);
}

TEST_CASE("a picture has each element in its plane, row and column, and the color of its bank") {
    test::folder const folder;
    std::string const file = folder / "picture.svg";
    std::string const layout = "tensor<float, j, i, k>";
    CHECK(ask({"draw", layout, "j=2", "i=3", "k=8", "--svg", file}).status == exit_status::success);
    std::ostringstream wanted;
    auto const write = [&](int x, int y, auto const& words) {
        wanted << "<text x='" << x << "' y='" << y << "'>" << words << "</text>\n";
    };
    // A cell is 40 x 24, the first at x 60. A plane has a row of columns' numbers above its own 3
    // rows, and 30 below.
    wanted << "<svg xmlns='http://www.w3.org/2000/svg' width='400' height='302' "
              "font-family='sans-serif' font-size='11' text-anchor='middle'>\n<text x='20' y='22' "
              "font-size='14' text-anchor='start'>tensor&lt;float, j, i, k&gt;: the address of "
              "each element, colored by bank</text>\n";
    for (int plane = 0; plane < 2; ++plane) {
        int const top = 50 + 126 * plane;
        write(100, top - 4, "j = " + std::to_string(plane) + " ");
        write(30, top + 16, "i / k");
        for (int column = 0; column < 8; ++column) write(80 + 40 * column, top + 16, column);
        for (int row = 0; row < 3; ++row) {
            int const y = top + 24 * (row + 1);
            write(30, y + 16, row);
            for (int column = 0; column < 8; ++column) {
                int const element = 24 * plane + 8 * row + column, bank = element % 32;
                wanted << "<rect x='" << 60 + 40 * column << "' y='" << y
                       << "' width='40' height='24' fill='hsl(" << bank / 4 * 45 << " 65% "
                       << 60 + 9 * (bank % 4) << "%)' stroke='white'><title>bank " << bank
                       << "</title></rect>\n";
                write(80 + 40 * column, y + 16, 4 * element);
            }
        }
    }
    wanted << "</svg>\n";
    CHECK(read_file(file) == wanted.str());
}
