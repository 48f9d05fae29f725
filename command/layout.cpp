// Parses layouts that are written as text, and computes the offsets of their elements.
// SPDX-License-Identifier: Apache-2.0
//
// A layout places the elements of a tensor in memory: a list of axes, the last one contiguous. A
// fold k / 8 counts a dimension in blocks of 8, a remainder k % 8 the positions in one; a part of
// an axis is such a piece of a dimension, with the size and stride of its steps. A swizzle or
// checkerboard permutes one part by another.
module;

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.command;

namespace spio::command {

namespace {

[[noreturn]] void refuse(std::string const& reason) { throw failure(exit_status::usage, reason); }
// The types of elements, and their bytes.
constexpr std::pair<char const*, int> elements[] = {{"char", 1},    {"half", 2},   {"bfloat16", 2},
                                                    {"int", 4},     {"float", 4},  {"double", 8},
                                                    {"float4", 16}, {"half8", 16}, {"cell", 16}};

// Reads a text from left to right. skip() passes over a word if it is next, expect() refuses any
// other.
class reader {
  public:
    reader(std::string_view line, std::vector<named_size> const& sizes)
        : written(line), rest(line), dimensions(sizes) {}

    // An empty word skips only blanks.
    bool skip(std::string_view word) {
        while (rest.starts_with(' ')) rest.remove_prefix(1);
        if (!rest.starts_with(word)) return false;
        rest.remove_prefix(word.size());
        return true;
    }
    bool is_at_end() { return skip(/*word=*/"") && rest.empty(); }
    std::string name() {
        skip(/*word=*/"");
        std::string text;
        while (!rest.empty() &&
               (std::isalnum(static_cast<unsigned char>(rest[0])) != 0 || rest[0] == '_')) {
            text += rest[0];
            rest.remove_prefix(1);
        }
        return text;
    }
    // Skips a word, or refuses the text if another stands here.
    void expect(std::string_view word) {
        if (!skip(word)) stop("'" + std::string(word) + "'");
    }
    [[noreturn]] void stop(std::string const& wanted) const {
        auto const column = written.size() - rest.size() + 1;
        refuse(quote(written) + " has no " + wanted + " at character " + std::to_string(column));
    }

    // k,  (k % 16) / 8,  swizzle(k / 8, i % 8)
    text_axis axis() {
        for (auto const& [word, kind] :
             {std::pair{"swizzle(", text_axis::kind::swizzle},
              std::pair{"checkerboard(", text_axis::kind::checkerboard}}) {
            if (!skip(word)) continue;
            text_axis found = {kind, {part()}};
            expect(",");
            found.parts.push_back(part());
            expect(")");
            return found;
        }
        return {text_axis::kind::plain, {part()}};
    }

  private:
    std::string_view written, rest;
    std::vector<named_size> const& dimensions;

    // A dimension or what is in parentheses, divided by numbers.
    text_axis::part part() {
        auto found = skip("(") ? inner() : dimension();
        for (;;) {
            bool const is_fold = skip("/");
            if (!is_fold && !skip("%")) return found;
            auto const text = name();
            auto const n = static_cast<int>(std::min(parse_number(text, "a fold"), 1U << 30));
            auto& [dimension_number, stride, size] = found;
            if (n == 0 || size % n != 0) {
                refuse("an axis of " + std::to_string(size) + " steps cannot be folded by " + text);
            }
            if (is_fold) {
                stride *= n;
                size /= n;
            } else {
                size = n;
            }
        }
    }
    // What is in parentheses, behind the opening one.
    text_axis::part inner() {
        auto const found = part();
        expect(")");
        return found;
    }
    // A whole dimension, by its name.
    text_axis::part dimension() {
        auto const word = name();
        if (word.empty()) stop("dimension");
        auto const found = std::ranges::find(dimensions, word, &named_size::name);
        if (found == dimensions.end())
            refuse("the size of '" + word + "' is missing: " + word + "=…");
        return {static_cast<std::size_t>(found - dimensions.begin()), 1, found->size};
    }
};

} // namespace

text_layout::text_layout(std::string_view text, std::vector<named_size> sizes)
    : dimensions(std::move(sizes)) {
    constexpr std::size_t longest = 1000; // what is in parentheses is read by recursion
    if (text.size() > longest) refuse("a layout to draw has at most 1000 characters");
    reader reader(text, dimensions);
    if (reader.skip("tensor<")) {
        element_name = reader.name();
        auto const known = std::ranges::find(
            elements, element_name, [](auto const& e) { return std::string_view(e.first); });
        if (known == std::end(elements)) {
            std::vector<std::string_view> names;
            for (auto const& [name, size] : elements) names.emplace_back(name);
            refuse("the element " + quote(element_name) + " is none of " + format_list(names) +
                   suggestion(element_name, names));
        }
        bytes = known->second;
        while (reader.skip(",")) place(reader.axis());
        reader.expect(">");
    } else {
        do place(reader.axis());
        while (reader.skip(","));
    }
    if (!reader.is_at_end()) reader.stop("end");
    expect_tiling();
}

// Adds the next axis, after checking what its function takes.
void text_layout::place(text_axis const& axis) {
    auto const& first = axis.parts.front();
    auto const& second = axis.parts.back();
    bool const is_power_of_two = std::has_single_bit(static_cast<unsigned>(first.size));
    if (axis.function == text_axis::kind::swizzle &&
        (!is_power_of_two || second.size > first.size)) {
        refuse("a swizzle places a power of two, and reads no more than it places");
    }
    if (axis.function == text_axis::kind::checkerboard && second.size != 2) {
        refuse("a checkerboard has two colors, not " + std::to_string(second.size));
    }
    axes.push_back(axis);
}

// The folds of a dimension meet: each ends where the next coarser begins. Those with one step count
// nothing.
void text_layout::expect_tiling() {
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        std::vector<text_axis::part> placed;
        for (auto const& axis : axes) {
            for (std::size_t n = 0; n < axis.parts.size(); ++n) {
                auto const& part = axis.parts[n];
                if (part.dimension == d && axis.is_placed(n)) placed.push_back(part);
            }
        }
        auto const name = "'" + dimensions[d].name + "'";
        if (placed.empty()) refuse("the layout places no " + name);
        std::erase_if(placed, [](auto const& part) { return part.size == 1; });
        std::ranges::sort(placed, {}, &text_axis::part::stride);
        for (std::size_t n = 1; n < placed.size(); ++n) {
            auto const end = placed[n - 1].stride * placed[n - 1].size;
            auto const next = placed[n].stride;
            if (next == placed[n - 1].stride) {
                refuse("two axes count " + name + " in steps of " + std::to_string(next));
            }
            if (end != next) {
                refuse("the folds of " + name + " do not meet: one ends at " + std::to_string(end) +
                       ", and the next begins at " + std::to_string(next));
            }
        }
        coarsest.push_back(placed.empty() ? 1 : placed.back().stride);
    }
}

long long text_layout::element_count() const {
    constexpr long long too_many = 1LL << 40;
    long long count = 1;
    for (auto const& axis : axes) count = std::min(count * axis.size(), too_many);
    return count;
}

// The offset of an element, given its position in each dimension.
long long text_layout::offset(std::span<int const> position) const {
    long long sum = 0, stride = 1;
    for (std::size_t a = axes.size(); a-- > 0; stride *= axes[a].size()) {
        auto const& axis = axes[a];
        int digits[2] = {};
        for (std::size_t n = 0; n < axis.parts.size(); ++n) {
            auto const& part = axis.parts[n];
            int const quotient = position[part.dimension] / part.stride;
            bool const is_coarsest = part.stride == coarsest[part.dimension] && part.size > 1;
            digits[n] = is_coarsest && axis.is_placed(n) ? quotient : quotient % part.size;
        }
        int place = digits[0];
        if (axis.function == text_axis::kind::swizzle) place = digits[0] ^ digits[1];
        // The digits are a pair of cells and a cell of it. Memory has rows of four pairs, 128 bytes
        // for cells of 16; in every second row the cells of each pair are exchanged.
        if (axis.function == text_axis::kind::checkerboard) {
            place = (2 * digits[0] + digits[1]) ^ (digits[0] / 4 & 1);
        }
        sum += place * stride;
    }
    return sum;
}

} // namespace spio::command
