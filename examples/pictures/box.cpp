// Draws boxes: where in shared memory the copy engine puts each 16 bytes of a tile, by its swizzle.
// SPDX-License-Identifier: Apache-2.0
//
// A box is a tile as TMA copies it; a swizzle exchanges its cells of 16 bytes by their row. I are
// rows and K columns. axis<K>(64) is the dimension K with 64 values, and k / 8 its blocks of 8. A
// tensor is its axes, outermost first. place.total<K>() is the whole place along K, and unfold()
// counts it in single steps.
#include <string>
#include <vector>

#include "../picture.h"
#include "dimensions.h"
#include "drawing.h"
#include "palette.h"
#include "spio/facts.h"
#include "spio/swizzle.h"
#include "spio/tile/fragment_map.h"
#include "spio/tile/tensor_map.h"

namespace {

using half8 = spio::vec<unsigned short, 8>;

// Boxes of 16 rows, out of a matrix of 4096 x 512 halfs.
constexpr auto i = spio::axis<I>(16);
template <int Columns> constexpr auto k = spio::axis<K>(Columns);
using matrix = spio::tensor<half8 const, spio::axis<I>(4096), spio::axis<K>(512) / 8>;

using plain = spio::tensor<half8, i, k<64> / 8>;
using swizzled_32 = spio::tensor<half8, i, spio::swizzle(k<16> / 8, i / 4 % 2)>;
using swizzled_64 = spio::tensor<half8, i, spio::swizzle(k<32> / 8, i / 2 % 4)>;
using swizzled_128 = spio::tensor<half8, i, spio::swizzle(k<64> / 8, i % 8)>;

// What a warp loads of the box as a left factor: 16 x 16 halfs, 8 rows at once.
using MatrixRow = spio::left_map<i, k<16>>::rows;
constexpr int lanes_at_once = 8;

template <class Tile> constexpr int conflicts_of = spio::bank_conflicts<Tile, MatrixRow>();
static_assert(conflicts_of<plain> == 28 && conflicts_of<swizzled_32> == 0);
static_assert(conflicts_of<swizzled_64> == 0 && conflicts_of<swizzled_128> == 0);

constexpr int cell_bytes = 16;
constexpr int line_bytes = 128;
constexpr int cells_of_line = line_bytes / cell_bytes;

// A cell of the tile: its place in it, and its address in shared memory.
struct cell {
    int row;
    int column;
    int address;
    bool is_read; // by the first lanes that go together

    int line() const { return address / line_bytes; }
    int place() const { return address % line_bytes / cell_bytes; }
    std::string color() const { return palette_color(4 * place()) + (is_read ? " read" : ""); }
    std::string meaning() const {
        return "row " + std::to_string(row) + ", cell " + std::to_string(column) + ": byte " +
               std::to_string(address) + ", line " + std::to_string(line()) + ", banks " +
               std::to_string(4 * place()) + "-" + std::to_string(4 * place() + 3);
    }
};

struct box {
    char const* type;
    spio::tensor_map_plan plan;
    int conflicts;
    std::vector<cell> cells;
};

// A tile as a TMA box, with the cells that ldmatrix reads at a time.
template <class Tile> box box_of(char const* type) {
    box result{type, spio::tensor_map<Tile, matrix>::plan(), conflicts_of<Tile>, {}};
    for (auto place : spio::range(Tile())) {
        int const address = static_cast<int>(Tile()[place].offset() * cell_bytes);
        bool is_read = false;
        for (int lane = 0; lane < lanes_at_once; ++lane) is_read |= place == MatrixRow(lane);
        result.cells.push_back({spio::unfold(place.template total<I>()).get(),
                                spio::unfold(place.template total<K>()).get() / 8, address,
                                is_read});
    }
    return result;
}

template <class Number, int N> std::string listed(Number const (&numbers)[N], int rank) {
    std::string words;
    for (int n = 0; n < rank; ++n) words += (n > 0 ? ", " : "") + std::to_string(numbers[n]);
    return "{" + words + "}";
}

constexpr int width = 44;
constexpr int height = picture::box_height;

// The numbers above the columns, each `step` more than the last.
void draw_header(picture& out, int x, int y, int columns, char const* word, int step) {
    out.text(x - 8, y - 6, "end", word);
    for (int n = 0; n < columns; ++n) {
        out.text(x + width * n + width / 2, y - 6, "faint", std::to_string(step * n));
    }
}

// The box as it is in global memory; each cell says at which byte of shared memory it lands.
void draw_box(picture& out, int x, int y, box const& b) {
    draw_header(out, x, y, b.cells.back().column + 1, "i \u2193 k \u2192", /*step=*/8);
    for (cell const& c : b.cells) {
        int const left = x + width * c.column;
        int const top = y + height * c.row;
        out.box(left, top, width, height, c.color(), c.meaning());
        out.text(left + width / 2, top + 14, "dark", std::to_string(c.address));
        if (c.column == 0) out.text(x - 8, top + 14, "end", std::to_string(c.row));
    }
}

// Shared memory, line by line; each cell says which one of the box is there.
void draw_memory(picture& out, int x, int y, box const& b) {
    draw_header(out, x, y, cells_of_line, "bank", /*step=*/4);
    for (cell const& c : b.cells) {
        int const left = x + width * c.place();
        int const top = y + height * c.line();
        out.box(left, top, width, height, c.color(), "in memory " + c.meaning());
        out.text(left + width / 2, top + 14, "dark",
                 std::to_string(c.row) + ", " + std::to_string(8 * c.column));
        if (c.place() == 0) {
            out.text(x - 8, top + 14, "end", std::to_string(line_bytes * c.line()));
        }
    }
}

bool draw(drawing const& self, std::string const& path, box const& b) {
    constexpr int left = 64;
    constexpr int right = 496;
    constexpr int top = 150;
    constexpr int bottom = top + 16 * height;
    picture out(path, 880, bottom + 128, self.title, palette_style());
    out.text(32, 46, "title", self.title);
    out.text(32, 70, "code", b.type);
    out.text(left, top - 44, "name", "The box");
    out.text(left, top - 26, /*kind=*/"", "row i, column k: the byte where 8 halfs land");
    draw_box(out, left, top, b);
    out.text(right, top - 44, "name", "Shared memory");
    out.text(right, top - 26, /*kind=*/"", "lines of 32 banks: the i, k that is there");
    draw_memory(out, right, top, b);

    out.text(848, top - 44, b.conflicts > 0 ? "bad" : "good",
             std::to_string(b.conflicts) + " bank conflicts");
    out.text(left, bottom + 28, /*kind=*/"",
             "The framed cells are what 8 lanes read together when a warp loads 16 x 16 halfs "
             "(ldmatrix.x4).");
    out.text(left, bottom + 58, "name", "What the driver is asked for");
    std::string const of_elements = std::to_string(b.plan.element_bytes) + " bytes";
    out.text(left, bottom + 80, "code",
             "rank " + std::to_string(b.plan.rank) + ", elements of " + of_elements + ", sizes " +
                 listed(b.plan.sizes, b.plan.rank) + ", strides " +
                 listed(b.plan.strides, b.plan.rank) + " bytes, box " +
                 listed(b.plan.box, b.plan.rank) + ", swizzle " + std::to_string(b.plan.swizzle));
    out.text(left, bottom + 100, "code",
             "tensor_map<tile, tensor<half8 const, axis<I>(4096), axis<K>(512) / 8>>::plan()");
    return out.finish();
}

constexpr drawing drawings[] = {
    {"128", "A box of 16 x 64 halfs, swizzled over 128 bytes",
     [](drawing const& self, std::string const& path) {
         return draw(self, path,
                     box_of<swizzled_128>("tile = tensor<half8, i, swizzle(k / 8, i % 8)>"));
     }},
    {"64", "A box of 16 x 32 halfs, swizzled over 64 bytes",
     [](drawing const& self, std::string const& path) {
         return draw(self, path,
                     box_of<swizzled_64>("tile = tensor<half8, i, swizzle(k / 8, i / 2 % 4)>"));
     }},
    {"32", "A box of 16 x 16 halfs, swizzled over 32 bytes",
     [](drawing const& self, std::string const& path) {
         return draw(self, path,
                     box_of<swizzled_32>("tile = tensor<half8, i, swizzle(k / 8, i / 4 % 2)>"));
     }},
    {"none", "A box of 16 x 64 halfs, not swizzled",
     [](drawing const& self, std::string const& path) {
         return draw(self, path, box_of<plain>("tile = tensor<half8, i, k / 8>"));
     }},
};

} // namespace

std::span<drawing const> boxes() { return drawings; }
