// Draws layouts: in which banks the cells of a tile are, and how often a warp waits for them.
// SPDX-License-Identifier: Apache-2.0
//
// I are rows and K columns. axis<K>(64) is the dimension K with 64 values, k / 8 its blocks of 8,
// and i.pitch(33) an axis whose neighbours are 33 elements apart. A tensor is its axes, outermost
// first; a swizzle exchanges cells by their row. A compound index is one number for several
// indices, here for the lanes of a warp.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "../picture.h"
#include "dimensions.h"
#include "drawing.h"
#include "palette.h"
#include "spio/facts.h"
#include "spio/swizzle.h"
#include "spio/tile/fragment_map.h"
#include "spio/tile/vector.h"

namespace {

using half8 = spio::vec<unsigned short, 8>;

// A tile of floats, and a warp that reads a column of it.
constexpr auto i = spio::axis<I>(32);
constexpr auto k = spio::axis<K>(32);
using row_major = spio::tensor<float, i, k>;
using padded = spio::tensor<float, i.pitch(33), k>;
using swizzled = spio::tensor<float, i, spio::swizzle(k, i)>;
using Column = spio::compound_index<i>;

static_assert(spio::bank_conflicts<row_major, Column>() == 31);
static_assert(spio::bank_conflicts<padded, Column>() == 0);
static_assert(spio::bank_conflicts<swizzled, Column>() == 0);

// A tile of halfs in cells of 16 bytes, and a warp that loads 16 x 16 of them as a left factor.
constexpr auto i16 = spio::axis<I>(16);
constexpr auto k16 = spio::axis<K>(16);
constexpr auto k64 = spio::axis<K>(64);
using matrices = spio::tensor<half8, i16, k64 / 8>;
using swizzled_matrices = spio::tensor<half8, i16, spio::swizzle(k64 / 8, i16 % 8)>;
using MatrixRow = spio::left_map<i16, k16>::rows;

static_assert(spio::bank_conflicts<matrices, MatrixRow>() == 28);
static_assert(spio::bank_conflicts<swizzled_matrices, MatrixRow>() == 0);

constexpr int num_banks = 32;
constexpr int bank_bytes = 4;
constexpr int bank_width = 13;

struct cell {
    int row;
    int column; // in cells
    int address;
    int lane; // that reads it, or -1
};

struct bank_map {
    int cell_bytes;
    int conflicts;
    std::vector<cell> cells;
    std::vector<int> address_of_lane;

    int banks_of_cell() const { return cell_bytes / bank_bytes; }
    int bank(int address) const { return address / bank_bytes % num_banks; }
    int lanes_at_once() const { return num_banks / banks_of_cell(); }
    // The banks of a cell as text, from the first on.
    std::string banks(int first) const {
        int const last = first + banks_of_cell() - 1;
        return std::to_string(first) + (last == first ? "" : "-" + std::to_string(last));
    }

    // Small cells have small words.
    bool is_small() const { return banks_of_cell() == 1; }
    int width() const { return bank_width * banks_of_cell(); }
    int height() const { return is_small() ? bank_width : picture::box_height; }
    void draw(picture& out, int x, int y, int bank, bool is_framed, std::string const& words,
              std::string const& meaning = "") const {
        char const* const frame = !is_framed ? "" : is_small() ? " read thin" : " read";
        out.box(x, y, width(), height(), palette_color(bank) + frame, meaning);
        out.text(x + width() / 2, y + height() / 2 + (is_small() ? 3 : 4),
                 is_small() ? "tiny" : "dark", words);
    }
};

template <class Tile, class Lane> bank_map map_of() {
    constexpr int bytes = sizeof(typename Tile::data_type);
    bank_map map{.cell_bytes = bytes,
                 .conflicts = spio::bank_conflicts<Tile, Lane>(),
                 .cells = {},
                 .address_of_lane = {}};
    for (int lane = 0; lane < 32; ++lane) {
        map.address_of_lane.push_back(static_cast<int>(Tile()[Lane(lane)].offset() * bytes));
    }
    for (auto place : spio::range(Tile())) {
        int const address = static_cast<int>(Tile()[place].offset() * bytes);
        auto const begin = map.address_of_lane.begin();
        auto const lane = std::find(begin, map.address_of_lane.end(), address);
        map.cells.push_back(
            {spio::unfold(place.template total<I>()).get(),
             spio::unfold(place.template total<K>()).get() / (bytes == 16 ? 8 : 1), address,
             lane == map.address_of_lane.end() ? -1 : static_cast<int>(lane - begin)});
    }
    return map;
}

// The tile as a program sees it, each cell in the color of its banks.
void draw_tile(picture& out, int x, int y, bank_map const& map) {
    out.text(x - 6, y - 6, "end", "i \u2193 k \u2192");
    for (cell const& c : map.cells) {
        int const left = x + map.width() * c.column;
        int const top = y + map.height() * c.row;
        int const bank = map.bank(c.address);
        map.draw(out, left, top, bank, c.lane >= 0, map.banks(bank),
                 "row " + std::to_string(c.row) + ", column " + std::to_string(c.column) +
                     ": byte " + std::to_string(c.address) + ", bank " + map.banks(bank) +
                     (c.lane >= 0 ? ", lane " + std::to_string(c.lane) : ""));
        int const step = map.is_small() ? 4 : 1; // of the numbers at the edges
        if (c.column == 0 && c.row % step == 0) {
            out.text(x - 6, top + map.height() / 2 + 4, "end", std::to_string(c.row));
        }
        if (c.row == 0 && c.column % step == 0) {
            out.text(left + map.width() / 2, y - 6, "faint",
                     std::to_string(c.column * (map.is_small() ? 1 : 8)));
        }
    }
}

// What the banks serve, pass by pass: a lane waits while its banks serve another.
void draw_passes(picture& out, int x, int y, bank_map const& map) {
    for (int bank = 0; bank < num_banks; bank += map.banks_of_cell()) {
        map.draw(out, x + bank_width * bank, y - map.height() - 4, bank, /*is_framed=*/false,
                 map.banks(bank));
    }
    int passes = 0;
    for (int first = 0; first < 32; first += map.lanes_at_once()) {
        std::vector<int> waiting[num_banks];
        std::size_t most = 0;
        for (int lane = first; lane < first + map.lanes_at_once(); ++lane) {
            auto& queue = waiting[map.bank(map.address_of_lane[lane])];
            queue.push_back(lane);
            most = std::max(most, queue.size());
        }
        for (std::size_t n = 0; n < most; ++n) {
            int const top = y + map.height() * passes;
            for (int bank = 0; bank < num_banks; bank += map.banks_of_cell()) {
                int const left = x + bank_width * bank;
                if (n >= waiting[bank].size()) {
                    out.box(left, top, map.width(), map.height(), "gray0");
                    continue;
                }
                std::string const lane = std::to_string(waiting[bank][n]);
                map.draw(out, left, top, bank, /*is_framed=*/true, lane,
                         "pass " + std::to_string(passes) + ": lane " + lane + ", bank " +
                             map.banks(bank));
            }
            ++passes;
        }
    }
}

// Writes a tile and the passes of a warp that reads it; returns whether the file was written.
bool draw(drawing const& self, std::string const& path, bank_map const& map, char const* type,
          char const* access) {
    constexpr int top = 150;
    constexpr int right = 512;
    int const passes = 32 / map.lanes_at_once() + map.conflicts;
    int const rows = map.cells.back().row + 1;
    int const bottom = top + std::max(rows, passes) * map.height();
    picture out(path, 960, bottom + 56, self.title, palette_style());
    out.text(32, 46, "title", self.title);
    out.text(32, 70, "code", type);
    out.text(56, top - 44, "name", "The tile");
    out.text(56, top - 26, /*kind=*/"",
             map.is_small() ? "a cell is a float, and names its bank"
                            : "a cell is 8 halfs, 16 bytes, and names its banks");
    draw_tile(out, 56, top, map);
    out.text(right, top - 44, "name", access);
    draw_passes(out, right, top, map);
    out.text(928, top - 44, map.conflicts > 0 ? "bad" : "good",
             std::to_string(passes) + (passes == 1 ? " pass" : " passes") + ", " +
                 std::to_string(map.conflicts) + " bank conflicts");
    out.text(56, bottom + 32, /*kind=*/"",
             "Framed cells are read by the warp. A row to the right is one pass: each bank serves "
             "one lane, whose number it shows.");
    return out.finish();
}

bool draw_column(drawing const& self, std::string const& path, bank_map const& map,
                 char const* type) {
    return draw(self, path, map, type, "A warp reads a column");
}
bool draw_matrices(drawing const& self, std::string const& path, bank_map const& map,
                   char const* type) {
    return draw(self, path, map, type, "A warp's ldmatrix.x4");
}

constexpr drawing drawings[] = {
    {"row_major", "32 x 32 floats row by row: a column is in one bank",
     [](drawing const& self, std::string const& path) {
         return draw_column(self, path, map_of<row_major, Column>(), "tensor<float, i, k>");
     }},
    {"padded", "32 x 32 floats in rows of 33: a column is in all banks",
     [](drawing const& self, std::string const& path) {
         return draw_column(self, path, map_of<padded, Column>(), "tensor<float, i.pitch(33), k>");
     }},
    {"swizzled", "32 x 32 floats, swizzled: a column is in all banks",
     [](drawing const& self, std::string const& path) {
         return draw_column(self, path, map_of<swizzled, Column>(),
                            "tensor<float, i, swizzle(k, i)>");
     }},
    {"matrices", "16 x 64 halfs row by row: a matrix is in one group of banks",
     [](drawing const& self, std::string const& path) {
         return draw_matrices(self, path, map_of<matrices, MatrixRow>(), "tensor<half8, i, k / 8>");
     }},
    {"swizzled_matrices", "16 x 64 halfs, swizzled: a matrix is in all banks",
     [](drawing const& self, std::string const& path) {
         return draw_matrices(self, path, map_of<swizzled_matrices, MatrixRow>(),
                              "tensor<half8, i, swizzle(k / 8, i % 8)>");
     }},
};

} // namespace

std::span<drawing const> layouts() { return drawings; }
