// Draws fragments: which lane holds which elements of a matrix product, and in which register.
// SPDX-License-Identifier: Apache-2.0
//
// A fragment is the part of a matrix that a lane holds; its pieces are its registers, of two
// neighbours each. Of c = a b, I are the rows of a, J the columns of b, and K is summed over.
// axis<I>(16) is the dimension I with 16 values. lane_index is where a lane's part of each piece
// is; total<K>() is the whole place along K, and unfold() counts it in single steps.
#include <string>

#include "../picture.h"
#include "dimensions.h"
#include "drawing.h"
#include "palette.h"
#include "spio/tile/fragment_map.h"

namespace {

constexpr auto i = spio::axis<I>(16);
constexpr auto j = spio::axis<J>(8);
constexpr auto k = spio::axis<K>(16);

constexpr int width = 31;
constexpr int height = 20;
constexpr int gap = 6; // between pieces of 8 x 8

struct point {
    int x;
    int y;
};
point place_of(point corner, int row, int column) {
    return {corner.x + width * column + gap * (column / 8),
            corner.y + height * row + gap * (row / 8)};
}

// The matrix of Row x Column, where a lane holds two neighbours Along one of them.
template <class Row, class Column, class Along, class Map>
void draw_matrix(picture& out, point corner, Map, std::string const& letter) {
    using pieces = typename Map::template pieces<int>;
    using lane_index = typename Map::lane_index;
    constexpr bool is_along_row = spio::same_base<Along, Row>;
    for (int lane = 0; lane < lane_index::size(); ++lane) {
        for (auto piece : spio::range(pieces())) {
            auto const first = lane_index(lane).coordinates() + piece;
            int const row = spio::unfold(first.template total<Row>()).get();
            int const column = spio::unfold(first.template total<Column>()).get();
            int const element = 2 * static_cast<int>(pieces()[piece].offset());
            std::string meaning = letter + ": lane " + std::to_string(lane);
            for (int half = 0; half < 2; ++half) {
                meaning += ", " + letter + std::to_string(element + half) + " is row " +
                           std::to_string(row + is_along_row * half) + " column " +
                           std::to_string(column + !is_along_row * half);
            }
            point const cell = place_of(corner, row, column);
            out.box(cell.x, cell.y, is_along_row ? width : 2 * width,
                    is_along_row ? 2 * height : height, palette_color(lane), meaning);
            for (int half = 0; half < 2; ++half) {
                point const half_cell =
                    place_of(corner, row + is_along_row * half, column + !is_along_row * half);
                out.text(half_cell.x + width / 2, half_cell.y + 14, "dark", std::to_string(lane),
                         letter + std::to_string(element + half));
            }
        }
    }
}

// The numbers beside a matrix, and the names of its dimensions.
void draw_numbers(picture& out, point corner, int rows, int columns, char const* row,
                  char const* column) {
    out.text(corner.x - 8, corner.y - 6, "end", std::string(row) + " \u2193 " + column + " \u2192");
    for (int n = 0; n < rows; ++n) {
        out.text(corner.x - 8, place_of(corner, n, 0).y + 14, "end", std::to_string(n));
    }
    for (int n = 0; n < columns; ++n) {
        out.text(place_of(corner, 0, n).x + width / 2, corner.y - 6, "faint", std::to_string(n));
    }
}

// The factors and the sum of m16n8k16, each with its corner.
void draw_left(picture& out, point corner) {
    draw_numbers(out, corner, 16, 16, "i", "k");
    draw_matrix<I, K, K>(out, corner, spio::left_map<i, k>(), "a");
}
void draw_right(picture& out, point corner) {
    draw_numbers(out, corner, 16, 8, "k", "j");
    draw_matrix<K, J, K>(out, corner, spio::right_map<k, j>(), "b");
}
void draw_sum(picture& out, point corner) {
    draw_numbers(out, corner, 16, 8, "i", "j");
    draw_matrix<I, J, J>(out, corner, spio::sum_map<i, j>(), "c");
}

void draw_legend(picture& out, int x, int y) {
    out.text(x, y, "name", "The 32 lanes");
    for (int lane = 0; lane < 32; ++lane) {
        int const left = x + width * (lane % 4);
        int const top = y + 10 + height * (lane / 4);
        out.box(left, top, width, height, palette_color(lane));
        out.text(left + width / 2, top + 14, "dark", std::to_string(lane));
    }
}

void explain(picture& out, int x, int y) {
    for (char const* line : {"A cell is an element of a matrix. It says the lane that holds it",
                             "and which of that lane's "
                             "numbers it is: a0, a1, \u2026 of the left",
                             "factor, b of the right one, c of the sum.", "",
                             "Two numbers in one box are neighbours: of the factors they are",
                             "16-bit and share a register, "
                             "of the sum they are floats in two."}) {
        out.text(x, y, /*kind=*/"", line);
        y += 18;
    }
}

constexpr char left_code[] = "left_fragment<half, i, k>";
constexpr char right_code[] = "right_fragment<half, k, j>";
constexpr char sum_code[] = "sum_fragment<i, j>";

void draw_types(picture& out, int x, int y) {
    struct map {
        char const* name;
        char const* lane_index;
        char const* pieces;
    };
    out.text(x, y, "name", "As the types say it");
    for (map const& m : {map{"left", "i % 8, k % 8 / 2", "k / 8, i / 8"},
                         map{"right", "j % 8, k % 8 / 2", "j / 8, k / 8"},
                         map{"sum", "i % 8, j % 8 / 2", "j / 8, i / 8"}}) {
        out.text(x, y + 24, /*kind=*/"", m.name);
        out.text(x + 40, y + 24, "code",
                 "lane_index = compound_index<" + std::string(m.lane_index) + ">");
        out.text(x + 40, y + 42, "code", "pieces = tensor<\u2026, " + std::string(m.pieces) + ">");
        y += 48;
    }
}

// Writes a picture of all three matrices, or below of one; returns whether the file was written.
bool draw_product(drawing const& self, std::string const& path) {
    constexpr point left = {54, 500};
    constexpr point right = {612, 120};
    constexpr point sum = {612, 500};
    picture out(path, 880, 852, self.title, palette_style());
    out.text(32, 46, "title", self.title);
    explain(out, 32, 82);
    draw_legend(out, 32, 232);
    draw_types(out, 200, 232);
    out.text(left.x, left.y - 26, "code", left_code);
    draw_left(out, left);
    out.text(right.x, right.y - 26, "code", right_code);
    draw_right(out, right);
    out.text(sum.x, sum.y - 26, "code", sum_code);
    draw_sum(out, sum);
    return out.finish();
}

bool draw_alone(drawing const& self, std::string const& path, int columns, char const* code,
                void (*draw)(picture&, point)) {
    constexpr point corner = {56, 130};
    int const right = place_of(corner, 0, columns).x + 36;
    picture out(path, right + 420, 500, self.title, palette_style());
    out.text(32, 46, "title", self.title);
    out.text(corner.x, corner.y - 26, "code", code);
    draw(out, corner);
    explain(out, right, 140);
    draw_legend(out, right, 280);
    return out.finish();
}

constexpr drawing drawings[] = {
    {"product", "What the lanes hold of a product of 16 x 8 x 16: mma.m16n8k16", draw_product},
    {"left", "The left factor of mma.m16n8k16",
     [](drawing const& self, std::string const& path) {
         return draw_alone(self, path, 16, left_code, draw_left);
     }},
    {"right", "The right factor of mma.m16n8k16",
     [](drawing const& self, std::string const& path) {
         return draw_alone(self, path, 8, right_code, draw_right);
     }},
    {"sum", "The sum of mma.m16n8k16",
     [](drawing const& self, std::string const& path) {
         return draw_alone(self, path, 8, sum_code, draw_sum);
     }},
};

} // namespace

std::span<drawing const> fragments() { return drawings; }
