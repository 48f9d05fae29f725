// Draws a layout: where each element lies, in which bank, as text and as a picture.
// SPDX-License-Identifier: Apache-2.0
//
// A layout places the elements of a tensor in memory. Shared memory has 32 banks of 4 bytes:
// addresses in one bank are read one after the other.
module;

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.command;

import spio.aot;
import spio.system;

namespace spio::command {

namespace {

constexpr long long most_elements = 4096; // of a layout that is drawn
constexpr int bank_count = 32, bank_bytes = 4, lane_count = 32;

// A layout as it is written, and the words that follow it, such as k=32.
struct written_layout {
    std::string text;
    std::vector<std::string> sizes;
};

// The layouts to draw: the one of the operands, or those of a file, one a line.
std::vector<written_layout> layouts_in(arguments const& args) {
    auto const& first = args.operands.front();
    std::error_code ignored;
    if (args.operands.size() > 1 || !std::filesystem::is_regular_file(first, ignored)) {
        if (args.operands.size() == 1 && first.find('/') == 0) {
            throw failure(exit_status::not_found,
                          quote(first) + " is no file of layouts, and no layout begins with '/'");
        }
        return {{first, {args.operands.begin() + 1, args.operands.end()}}};
    }
    std::vector<written_layout> layouts;
    for (auto const& line : aot::lines_of(read_manifest(first))) {
        written_layout layout = {line.text, {}};
        // The sizes are the last words of the line.
        for (auto& text = layout.text;;) {
            auto const blank = text.find_last_of(" \t");
            if (blank == text.npos || text.find('=', blank) == text.npos) break;
            layout.sizes.insert(layout.sizes.begin(), text.substr(blank + 1));
            text.erase(text.find_last_not_of(" \t", blank) + 1);
        }
        layouts.push_back(std::move(layout));
    }
    return layouts;
}

// The sizes of dimensions, from words such as k=32.
std::vector<named_size> sizes_in(std::vector<std::string> const& words) {
    std::vector<named_size> sizes;
    for (std::string_view const word : words) {
        auto const equals = word.find('=');
        if (equals == word.npos || equals == 0) {
            throw failure(exit_status::usage, quote(word) + " is no NAME=SIZE");
        }
        std::string name(word.substr(0, equals));
        auto const size = parse_number(word.substr(equals + 1), name);
        if (size == 0 || size > most_elements) {
            throw failure(exit_status::usage, name + " is " + std::to_string(size) +
                                                  ", but must be at least 1, at most 4096");
        }
        if (std::ranges::find(sizes, name, &named_size::name) != sizes.end()) {
            throw failure(exit_status::usage, name + " is given twice");
        }
        sizes.push_back({std::move(name), static_cast<int>(size)});
    }
    return sizes;
}

// What is written at an element, by the quantity: its "offset" in elements, its "address" in
// bytes, its "bank", or the "lane" that holds it.
long long value_at(text_layout const& layout, std::vector<int> const& position,
                   std::string_view quantity) {
    auto const offset = layout.offset(position);
    if (quantity == "lane") return offset / (layout.element_count() / lane_count);
    auto const address = offset * layout.element_bytes();
    if (quantity == "offset") return offset;
    return quantity == "bank" ? address / bank_bytes % bank_count : address;
}

// The planes, each as its position in all dimensions but the last two; the last varies fastest.
std::vector<std::vector<int>> planes_of(text_layout const& layout) {
    std::vector<std::vector<int>> planes = {{}};
    auto const& sizes = layout.sizes();
    for (std::size_t d = 0; d + 2 < sizes.size(); ++d) {
        std::vector<std::vector<int>> longer;
        for (auto const& plane : planes) {
            for (int n = 0; n < sizes[d].size; ++n) {
                longer.push_back(plane);
                longer.back().push_back(n);
            }
        }
        planes = std::move(longer);
    }
    return planes;
}

// A plane: the rows count the last dimension but one, the columns the last.
struct grid {
    std::string row_name, column_name;
    int rows, columns;
};
grid grid_of(text_layout const& layout) {
    auto const& sizes = layout.sizes();
    auto const& column = sizes.back();
    if (sizes.size() == 1) return {"", column.name, 1, column.size};
    auto const& row = sizes[sizes.size() - 2];
    return {row.name, column.name, row.size, column.size};
}
// The position of a cell: those of the plane that is drawn, then its row and its column.
std::vector<int> position_in(text_layout const& layout, std::vector<int> plane, int row,
                             int column) {
    if (layout.sizes().size() > 1) plane.push_back(row);
    plane.push_back(column);
    return plane;
}

// The text after blanks that make it `width` characters wide.
std::string right(std::string const& text, std::size_t width) {
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

// All planes as tables, one below the other.
std::string text_of(text_layout const& layout, std::string_view quantity) {
    auto const grid = grid_of(layout);
    auto const bytes = static_cast<unsigned long long>(layout.element_count()) *
                       static_cast<unsigned long long>(layout.element_bytes());
    auto text = format_count(static_cast<unsigned long long>(layout.element_count()), "element") +
                " of " + layout.element() + ", " + format_bytes(bytes) + "; the " +
                std::string(quantity == "address" ? "byte address" : quantity) + " of each\n";
    constexpr std::size_t number_width = 6, row_width = 5; // of a cell, and of a row's number
    auto const label = std::max(grid.row_name.size() + row_width, grid.column_name.size() + 2);
    for (auto const& plane : planes_of(layout)) {
        for (std::size_t d = 0; d < plane.size(); ++d) {
            text +=
                (d == 0 ? "\n" : ", ") + layout.sizes()[d].name + " = " + std::to_string(plane[d]);
        }
        text += "\n" + right(grid.column_name, label);
        for (int c = 0; c < grid.columns; ++c) text += right(std::to_string(c), number_width);
        for (int r = 0; r < grid.rows; ++r) {
            auto const row =
                grid.row_name.empty() ? "" : grid.row_name + right(std::to_string(r), row_width);
            text += "\n" + right(row, label);
            for (int c = 0; c < grid.columns; ++c) {
                auto const value = value_at(layout, position_in(layout, plane, r, c), quantity);
                text += right(std::to_string(value), number_width);
            }
        }
        text += "\n";
    }
    return text;
}

// A picture of all planes, one below the other. A color stands for a bank of shared memory.
std::string picture_of(text_layout const& layout, std::string_view title,
                       std::string_view quantity) {
    constexpr int width = 40, height = 24, left = 60; // of a cell; of the column of row numbers
    auto const grid = grid_of(layout);
    std::string cells;
    auto const number = [](int n) { return std::to_string(n); };
    auto const write = [&](int x, int y, std::string const& words) {
        cells += "<text x='" + number(x) + "' y='" + number(y) + "'>" + words + "</text>\n";
    };
    int top = 50;
    for (auto const& plane : planes_of(layout)) {
        std::string heading;
        for (std::size_t d = 0; d < plane.size(); ++d) {
            heading += layout.sizes()[d].name + " = " + number(plane[d]) + " ";
        }
        if (!heading.empty()) write(left + width, top - 4, heading);
        write(left / 2, top + 16, grid.row_name + " / " + grid.column_name);
        for (int c = 0; c < grid.columns; ++c)
            write(left + width * c + width / 2, top + 16, number(c));
        top += height;
        for (int r = 0; r < grid.rows; ++r, top += height) {
            write(left / 2, top + 16, number(r));
            for (int c = 0; c < grid.columns; ++c) {
                auto const position = position_in(layout, plane, r, c);
                auto const bank = static_cast<int>(value_at(layout, position, "bank"));
                // 8 hues in 4 shades.
                cells += "<rect x='" + number(left + width * c) + "' y='" + number(top) +
                         "' width='" + number(width) + "' height='" + number(height) +
                         "' fill='hsl(" + number(bank / 4 * 45) + " 65% " +
                         number(60 + bank % 4 * 9) + "%)' stroke='white'><title>bank " +
                         number(bank) + "</title></rect>\n";
                write(left + width * c + width / 2, top + 16,
                      std::to_string(value_at(layout, position, quantity)));
            }
        }
        top += 30;
    }
    std::string escaped;
    for (char const c : title) {
        escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return "<svg xmlns='http://www.w3.org/2000/svg' width='" +
           number(left + width * grid.columns + 20) + "' height='" + number(top) +
           "' font-family='sans-serif' font-size='11' text-anchor='middle'>\n<text x='20' y='22' "
           "font-size='14' text-anchor='start'>" +
           escaped + ": the " + std::string(quantity) +
           " of each element, colored by bank</text>\n" + cells + "</svg>\n";
}

// Draws one layout: returns its text, and adds it as JSON.
std::string drawn(written_layout const& written, arguments const& args,
                  std::vector<json>& objects) {
    auto const sizes = sizes_in(written.sizes);
    if (sizes.empty()) throw failure(exit_status::usage, "no dimension has a size, such as k=32");
    text_layout const layout(written.text, sizes);
    auto const count = static_cast<unsigned long long>(layout.element_count());
    if (layout.element_count() > most_elements) {
        throw failure(exit_status::usage,
                      format_count(count, "element") + " are more than the 4096 that are drawn");
    }
    auto const quantity = args.value("--value", "address");
    if (quantity == "lane" && count % lane_count != 0) {
        throw failure(exit_status::usage,
                      format_count(count, "element") + " cannot be shared evenly by 32 lanes");
    }
    if (args.has("--svg")) {
        write_output(args.value("--svg"), picture_of(layout, written.text, quantity));
    }
    std::vector<json> offsets;
    auto const grid = grid_of(layout);
    for (auto const& plane : planes_of(layout)) {
        for (int r = 0; r < grid.rows; ++r) {
            for (int c = 0; c < grid.columns; ++c) {
                offsets.emplace_back(layout.offset(position_in(layout, plane, r, c)));
            }
        }
    }
    objects.push_back(json::object(
        {{"layout", written.text},
         {"element_bytes", layout.element_bytes()},
         {"dimensions", json::array(sizes, [](auto const& s) { return json(s.name); })},
         {"sizes", json::array(sizes, [](auto const& s) { return json(s.size); })},
         {"offsets", json::array(offsets)}}));
    return text_of(layout, quantity);
}

exit_status run_draw(arguments const& args, io const& io) {
    auto const layouts = layouts_in(args);
    if (args.has("--svg") && layouts.size() > 1) {
        throw failure(exit_status::usage, "a picture has one layout, and " +
                                              quote(args.operands.front()) + " has several");
    }
    bool const has_file = layouts.size() > 1;
    std::vector<json> objects;
    std::string text;
    for (auto const& layout : layouts) {
        if (has_file) text += (text.empty() ? "" : "\n") + layout.text + "\n";
        text += drawn(layout, args, objects);
    }
    auto const object =
        has_file ? json::object({{"layouts", json::array(objects)}}) : objects.front();
    print_result(args, io, object, text);
    return exit_status::success;
}

} // namespace

subcommand draw() {
    return {
        .name = "draw",
        .operands = "LAYOUT|FILE NAME=SIZE...",
        .summary = "draw where a layout puts each element, as text and as a picture",
        .details =
            R"(A layout is written as in a kernel, with the sizes of its dimensions behind it; the last two
become rows and columns. swizzle(a, b) and checkerboard(a, b) may be axes. An element is a
char, half, bfloat16, int, float, double, or 16 bytes: float4, half8, cell. A file has such a
layout with its sizes on each line. Lanes are those of a warp that shares the elements in the
order of their offsets.

  spio draw "tensor<half, k / 8, i, k % 8>" i=16 k=32
  spio draw "tensor<cell, i, swizzle(k, i % 4)>" i=8 k=4 --value bank --svg tile.svg
  spio draw "tensor<half, i % 8, k / 2 % 4, k / 8, i / 8, k % 2>" i=16 k=16 --value lane
)",
        .options = {{"--value", "address|bank|offset|lane",
                     "what is written at each; address if not given"},
                    {"--svg", "FILE", "draw a picture too, colored by bank"},
                    json_option},
        .least_operands = 1,
        .most_operands = 9,
        .run = run_draw};
}

} // namespace spio::command
