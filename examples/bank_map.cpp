// Draws a tile in three layouts, and the banks of shared memory that a column of each is read from.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one; fold<K, 8> counts such blocks, and unfold() counts single values again. A
// tensor is its axes, outermost first; a checkerboard exchanges cells in every second row. A
// compound index is one number for several indices, here for the lanes of a warp. is_injective says
// whether different positions have different offsets.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>

#include "picture.h"

import spio.dims;

struct I : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
using K8 = spio::fold<K, 8>;

// 8 halfs, which is what one lane reads at a time.
struct cell {
    unsigned words[4];
};

// A tile of 16 x 32 halfs: row by row, in blocks of 16 x 16, and in such blocks swizzled.
constexpr auto i = spio::axis<I>(16);
constexpr auto k = spio::axis<K>(32);

using row_major = spio::tensor<cell, i, k / 8>;
using folded = spio::tensor<cell, k / 16, i / 16, i % 16, (k % 16) / 8>;
using swizzled = spio::tensor<cell, k / 16, i / 16, spio::checkerboard(i % 16, (k % 16) / 8)>;

// The lanes of a warp that loads 16 x 16 halfs for a matrix product (ldmatrix.x4): each reads one
// cell, and 8 lanes at a time go to shared memory together.
using Lane = spio::compound_index<(k % 16) / 8, i>;
constexpr int lanes_at_once = 8;

static_assert(Lane::size() == 32);
static_assert(spio::bank_conflicts<row_major, Lane>() == 12);
static_assert(spio::bank_conflicts<folded, Lane>() == 4);
static_assert(spio::bank_conflicts<swizzled, Lane>() == 0);
static_assert(spio::is_injective<row_major> && spio::is_injective<folded>);
static_assert(spio::is_injective<swizzled>);

// 32 banks of 4 bytes make a line of shared memory, and a cell takes a group of 4 banks.
constexpr int num_banks = 32;
constexpr int bank_bytes = 4;
constexpr int line_bytes = num_banks * bank_bytes;
constexpr int group_banks = sizeof(cell) / bank_bytes;
constexpr int num_groups = num_banks / group_banks;
constexpr int num_lines = row_major::num_bytes() / line_bytes;

struct placed {
    int i;
    int k;
    bool is_read; // by the first lanes that go together
};

// The element in each cell of shared memory, and the number of cells that the first lanes read from
// each group of banks.
struct bank_map {
    char const* name;
    char const* type;
    placed lines[num_lines][num_groups] = {};
    int reads[num_groups] = {};
    int conflicts = 0;

    int passes() const { return *std::max_element(std::begin(reads), std::end(reads)); }
    std::string verdict() const {
        return std::to_string(passes()) + (passes() == 1 ? " pass" : " passes") + " for 8 rows, " +
               std::to_string(conflicts) + " bank conflicts per warp";
    }
};

// The address of a cell of the tile, in bytes.
template <class Tile> constexpr int address_of(auto const& place) {
    return static_cast<int>(Tile()[place].offset() * sizeof(cell));
}

template <class Tile> bank_map map_of(char const* name, char const* type) {
    bank_map map{name, type};
    auto const element = [&map](auto const& place) -> placed& {
        int const address = address_of<Tile>(place);
        int const bank = address / bank_bytes % num_banks;
        return map.lines[address / line_bytes][bank / group_banks];
    };
    for (auto place : spio::range(Tile())) {
        element(place) = {spio::unfold(place.template total<I>()).get(),
                          spio::unfold(place.template total<K>()).get(), false};
    }
    for (int lane = 0; lane < lanes_at_once; ++lane) element(Lane(lane)).is_read = true;
    for (auto const& line : map.lines) {
        for (int group = 0; group < num_groups; ++group) map.reads[group] += line[group].is_read;
    }
    map.conflicts = spio::bank_conflicts<Tile, Lane>();
    return map;
}

template <class... Tiles> void print_addresses() {
    std::printf("byte address   row-major             folded                swizzled\n        k");
    for (unsigned n = 0; n < sizeof...(Tiles); ++n) std::printf("      0    8   16   24");
    for (auto row : spio::range(I(16))) {
        std::printf("\n  i %4d  ", row.get());
        auto const print_row = [row]<class Tile>(Tile) {
            std::printf(" ");
            for (auto column : spio::range(K8(K(32)))) {
                std::printf(" %4d", address_of<Tile>(row + column));
            }
        };
        (print_row(Tiles()), ...);
    }
    std::printf("\n");
}

void print(bank_map const& map) {
    std::printf("\n%s: %s\n  banks ", map.name, map.type);
    for (int bank = 0; bank < num_banks; bank += group_banks) {
        std::printf("  %2d..%-2d ", bank, bank + group_banks - 1);
    }
    for (int line = 0; line < num_lines; ++line) {
        std::printf("\n  line %d", line);
        for (placed const& p : map.lines[line]) {
            std::printf(p.is_read ? "  [%2d,%2d]" : "   %2d,%2d ", p.i, p.k);
        }
    }
    std::printf("\n  reads ");
    for (int n : map.reads) std::printf("  %4d   ", n);
    std::printf("\n  %s\n", map.verdict().c_str());
}

// The cells of the tile and of the maps: those that are read in color, the others the darker the
// greater their k.
void draw_cell(picture& canvas, int x, int y, int width, placed const& p, int reads) {
    std::string const gray = "gray" + std::to_string(p.k / 8);
    canvas.box(x, y, width, !p.is_read ? gray : reads > 1 ? "orange" : "blue");
    canvas.text(x + width / 2, y + 14, p.is_read ? "strong" : "cell",
                std::to_string(p.i) + ", " + std::to_string(p.k));
}

// The tile as a program sees it, whatever its layout.
void draw_tile(picture& canvas, int x, int y) {
    constexpr int width = 48;
    canvas.text(x, y, "name", "The tile");
    canvas.text(x, y + 18, /*kind=*/"", "A cell is named by its i, k");
    for (auto place : spio::range(row_major())) {
        int const row = place.get<I>().get();
        int const column = place.get<K8>().get();
        int const left = x + 24 + width * column;
        int const top = y + 48 + picture::box_height * row;
        bool is_read = false;
        for (int lane = 0; lane < lanes_at_once; ++lane) is_read |= place == Lane(lane);
        draw_cell(canvas, left, top, width, {row, 8 * column, is_read}, 1);
        if (column == 0) canvas.text(x + 16, top + 14, "end", std::to_string(row));
        if (row == 0) canvas.text(left + 24, y + 40, "faint", "k " + std::to_string(8 * column));
    }
}

void draw_legend(picture& canvas, int x, int y) {
    canvas.text(x, y, "name", "Legend");
    canvas.box(x, y + 14, 30, "blue");
    canvas.text(x + 40, y + 29, /*kind=*/"", "read, alone in its banks");
    canvas.box(x, y + 40, 30, "orange");
    canvas.text(x + 40, y + 55, /*kind=*/"", "read, shares its banks");
    for (int n = 0; n < 4; ++n) canvas.box(x + 30 * n, y + 66, 30, "gray" + std::to_string(n));
    canvas.text(x, y + 104, /*kind=*/"", "not read now; darker as k grows");

    canvas.text(x, y + 148, "name", "How to read the maps");
    y += 168;
    for (char const* line :
         {"A row is one line of shared memory,", "128 bytes in 32 banks of 4 bytes.",
          "A bank gives one word at a time, so", "two reads in one column of a map",
          "take two passes.", "", "A warp reads four such columns of",
          "8 rows for 16 x 16 halfs."}) {
        canvas.text(x, y, /*kind=*/"", line);
        y += 18;
    }
}

void draw_map(picture& canvas, int x, int y, bank_map const& map) {
    constexpr int width = 66;
    canvas.text(x, y, "name", map.name);
    canvas.text(x + num_groups * width, y, map.passes() > 1 ? "bad" : "good", map.verdict());
    canvas.text(x, y + 18, "code", map.type);
    canvas.text(x - 8, y + 40, "end", "bank");
    for (int group = 0; group < num_groups; ++group) {
        int const left = x + width * group;
        int const bank = group_banks * group;
        canvas.text(left + width / 2, y + 40, "faint",
                    std::to_string(bank) + " - " + std::to_string(bank + group_banks - 1));
        int top = y + 48;
        int const reads = map.reads[group];
        for (auto const& line : map.lines) {
            draw_cell(canvas, left, top, width, line[group], reads);
            top += picture::box_height;
        }
        canvas.text(left + width / 2, top + 16, reads > 0 ? "cell" : "faint",
                    std::to_string(reads) + (reads == 1 ? " read" : " reads"));
    }
}

// Writes the picture of all maps; returns whether the file was written.
bool draw(char const* path, std::span<bank_map const> maps) {
    picture canvas(path, 880, 914, "A tile in shared memory: row-major, folded, and swizzled");
    canvas.text(32, 46, "title", "One tile, three layouts, and the banks that serve a column");
    canvas.text(
        32, 68, /*kind=*/"",
        "16 x 32 halfs in cells of 8 halfs, 16 bytes. Eight lanes read rows 0 to 7 at k = 0 "
        "together.");
    draw_tile(canvas, 32, 116);
    draw_legend(canvas, 32, 548);
    for (int y = 116; bank_map const& map : maps) {
        draw_map(canvas, 320, y, map);
        y += 270;
    }
    return canvas.finish();
}

int main(int argc, char** argv) {
    char const* const path = argc > 1 ? argv[1] : "bank_map.svg";
    if (argc > 2 || *path == '-') {
        std::fprintf(stderr, "usage: bank_map [FILE]   the picture; bank_map.svg if not given\n");
        return argc == 2 && std::string(path) == "--help" ? 0 : 2;
    }
    bank_map const maps[] = {
        map_of<row_major>("Row-major", "tensor<cell, i, k / 8>"),
        map_of<folded>("Folded", "tensor<cell, k / 16, i / 16, i % 16, (k % 16) / 8>"),
        map_of<swizzled>("Folded and swizzled",
                         "tensor<cell, k / 16, i / 16, checkerboard(i % 16, (k % 16) / 8)>"),
    };

    std::printf("A tile of 16 x 32 halfs in cells of 8 halfs, 16 bytes, in three layouts:\n\n");
    print_addresses<row_major, folded, swizzled>();
    std::printf(
        "\nShared memory in lines of 32 banks of 4 bytes. An entry i,k is a cell, and eight "
        "lanes\nread those in brackets together: rows 0 to 7 at k = 0.\n");
    for (bank_map const& map : maps) print(map);

    if (!draw(path, maps)) {
        std::fprintf(stderr, "bank_map: could not write %s\n", path);
        return 1;
    }
    std::printf("\nThe picture is in %s\n", path);
}
