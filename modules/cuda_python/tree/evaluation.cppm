// Values of the interpreter: an expression is computed for all threads of a block under a mask.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A cell is the value
// of one thread, a column the cells of all threads; a slot is a variable of a function. A span is a
// place in the source. A frame has the variables of one call, each with a value for every lane.
module;

#include "spio/launch_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python:evaluation;

import spio.error;
import :cells;
import :tree;
import :types;

namespace spio::cuda_python {

// A lane is a thread of the block that is interpreted, of any warp. A mask has 1 for each lane that
// takes part, else 0.
using mask = std::vector<char>;
using column = std::vector<cell>; // a cell for each thread

// Whether any lane is in the mask.
inline bool has_any(mask const& lanes) { return std::ranges::find(lanes, 1) != lanes.end(); }

// Moves the lanes of `part` from one mask to another.
inline void move_lanes(mask& source_lanes, mask& target_lanes, mask const& part) {
    for (std::size_t i = 0; i < part.size(); ++i) {
        if (part[i] == 0) continue;
        source_lanes[i] = 0;
        target_lanes[i] = 1;
    }
}

// An array in memory. A cell refers to it by its number in evaluator::arrays.
struct array_view {
    unsigned char* data;
    std::vector<std::int64_t> shape, strides; // strides in bytes
};

// Reads and writes at places that need not be aligned.
template <class T> T read_as(void const* place) {
    T x;
    std::memcpy(&x, place, sizeof x);
    return x;
}
template <class T> void write_as(void* place, T x) { std::memcpy(place, &x, sizeof x); }

// Reads and writes a number as its type lies in memory.
inline cell read_number(void const* place, scalar type) {
    if (type == float32) return {.real = static_cast<double>(read_as<float>(place))};
    if (type == float64) return {.real = read_as<double>(place)};
    if (type == complex64) {
        auto const* const parts = static_cast<unsigned char const*>(place);
        return {.real = static_cast<double>(read_as<float>(parts)),
                .imaginary = static_cast<double>(read_as<float>(parts + 4))};
    }
    if (type == complex128) {
        auto const* const parts = static_cast<unsigned char const*>(place);
        return {.real = read_as<double>(parts), .imaginary = read_as<double>(parts + 8)};
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, place, type.bytes());
    return converted({.integer = static_cast<std::int64_t>(bits)}, intp, type);
}

inline void write_number(unsigned char* place, cell const& x, scalar type) {
    if (type == float32) return write_as(place, static_cast<float>(x.real));
    if (type == float64) return write_as(place, x.real);
    if (type == complex64) {
        write_as(place, static_cast<float>(x.real));
        return write_as(place + 4, static_cast<float>(x.imaginary));
    }
    if (type == complex128) {
        write_as(place, x.real);
        return write_as(place + 8, x.imaginary);
    }
    std::memcpy(place, &x.integer, type.bytes());
}

// The threads of a block, and the memory that their expressions read.
class evaluator {
  protected:
    evaluator(typed_program const& program, extent grid, extent block)
        : program(program),
          grid(grid),
          block(block),
          count(static_cast<std::size_t>(block.count())),
          shared(static_cast<std::size_t>(program.shared_bytes)) {}
    ~evaluator() = default;

    // A call of a function by all lanes: the values of its variables, and which lanes have returned
    // from it, have left the innermost loop, or have left this round of it.
    struct frame {
        std::vector<column> slots;
        mask returned, broken, continued;
        std::vector<column> result; // a column for each part of a tuple

        frame(typed_function const& function, std::size_t count)
            : slots(function.slots.size(), column(count)),
              returned(count),
              broken(count),
              continued(count) {}
    };

    typed_program const& program;
    extent grid, block, block_index;
    std::size_t count;
    std::vector<unsigned char> shared;
    std::deque<array_view> arrays;

    // Calls a function; the result has a column for each part of a tuple.
    virtual std::vector<column> called(node const& call, mask const&, frame& caller) = 0;

    [[noreturn]] void fail(span location, std::string const& reason) const {
        auto const place = program.tree->text.position_of(location);
        throw error(error_kind::misuse, "interpret", std::string(program.functions.back().name),
                    place.file + ":" + std::to_string(place.line) + ":" +
                        std::to_string(place.column) + ": " + reason,
                    place.excerpt());
    }
    // The lane's thread, in words for messages.
    std::string thread_text(std::size_t lane) const {
        auto const index = block.index_of(static_cast<long long>(lane));
        auto const text = [](extent e) {
            return std::to_string(e.x) + ", " + std::to_string(e.y) + ", " + std::to_string(e.z);
        };
        return "thread (" + text(index) + ") of block (" + text(block_index) + ")";
    }

    // A cell that stands for an array: its number among all that were added.
    cell add_array(array_view view) {
        arrays.push_back(std::move(view));
        return {.integer = static_cast<std::int64_t>(arrays.size()) - 1};
    }
    // The value of a parameter that lies there in the parameters of a launch.
    cell argument(unsigned char const* place, type const& type) {
        if (type.is_number()) return read_number(place, type.element);
        array_view view = {read_as<unsigned char*>(place), /*shape=*/{}, /*strides=*/{}};
        for (int i = 0; i < type.rank; ++i) {
            view.shape.push_back(read_as<std::int64_t>(place + 8 + 8 * i));
            view.strides.push_back(read_as<std::int64_t>(place + 8 + 8 * (type.rank + i)));
        }
        return add_array(std::move(view));
    }

    // The value of an expression in each lane of the mask.
    column evaluate(node const& value, mask const& lanes, frame& frame) {
        auto const number = static_cast<std::size_t>(value.number);
        switch (value.form) {
        case form::constant:
            return column(count, value.value);
        case form::slot:
            return frame.slots[number];
        case form::call:
            return std::move(called(value, lanes, frame)[0]);
        case form::tuple:
            fail(value.location, "a tuple is unpacked");
        case form::shared_array:
            return column(count, shared_array(value));
        case form::operation:
            if (value.operation() <= "and"_binary) return logical(value, lanes, frame);
            break;
        default:
            break;
        }
        auto const parts = columns(value.parts, lanes, frame);
        return each_lane(lanes, [&](std::size_t lane) { return lane_value(value, parts, lane); });
    }
    // The values of several expressions.
    std::vector<column> columns(std::span<node const> values, mask const& lanes, frame& frame) {
        std::vector<column> result;
        for (auto const& value : values) result.push_back(evaluate(value, lanes, frame));
        return result;
    }
    // f(lane) for each lane of the mask.
    template <class F> column each_lane(mask const& lanes, F f) {
        column result(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (lanes[i] != 0) result[i] = f(i);
        }
        return result;
    }

    // Whether both are true, or one: the right operand is computed where the left one does not
    // decide.
    column logical(node const& value, mask const& lanes, frame& frame) {
        bool const is_and = value.operation() == "and"_binary;
        auto const left = evaluate(value.parts[0], lanes, frame);
        mask open = lanes;
        for (std::size_t i = 0; i < count; ++i) {
            if ((left[i].integer != 0) != is_and) open[i] = 0;
        }
        auto const right = has_any(open) ? evaluate(value.parts[1], open, frame) : left;
        return each_lane(lanes, [&](std::size_t i) { return open[i] ? right[i] : left[i]; });
    }
    // The address of an element for one lane. Fails if an index lies outside the array.
    // The parts are the array and the indices.
    unsigned char* place(span location, std::vector<column> const& parts, std::size_t lane) {
        auto const& view = arrays[static_cast<std::size_t>(parts[0][lane].integer)];
        auto* address = view.data;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            auto const index = parts[i + 1][lane].integer;
            if (index < 0 || index >= view.shape[i]) {
                fail(location, "index " + std::to_string(index) + " of dimension " +
                                   std::to_string(i) + ", whose extent is " +
                                   std::to_string(view.shape[i]) + ", in " + thread_text(lane));
            }
            address += index * view.strides[i];
        }
        return address;
    }
    // The value for one lane, by those of its parts.
    cell lane_value(node const& value, std::vector<column> const& parts, std::size_t lane) {
        auto const dimension = static_cast<std::size_t>(value.number);
        auto const type = value.parts.empty() ? value.type.element : value.parts[0].type.element;
        auto const axis = [&](extent e) -> cell {
            return {.integer = value.number == 0 ? e.x : value.number == 1 ? e.y : e.z};
        };
        auto const view = [&]() -> array_view const& {
            return arrays[static_cast<std::size_t>(parts[0][lane].integer)];
        };
        switch (value.form) {
        case form::coercion:
            return converted(parts[0][lane], type, value.type.element);
        case form::operation:
            return operated(value.operation(), parts[0][lane], parts.back()[lane], type,
                            value.type.element, program.options.has_floor_division);
        case form::math:
            return math_of(value.word, parts[0][lane], parts.back()[lane], type);
        case form::element:
            return read_number(place(value.location, parts, lane), value.type.element);
        case form::extent:
            return {.integer = view().shape[dimension]};
        case form::stride:
            return {.integer = view().strides[dimension]};
        case form::size: {
            std::int64_t size = 1;
            for (auto const extent : view().shape) size *= extent;
            return {.integer = size};
        }
        default: // an axis
            return axis(value.word == "thread_index"  ? block.index_of(static_cast<long long>(lane))
                        : value.word == "block_index" ? block_index
                        : value.word == "block_size"  ? block
                                                      : grid);
        }
    }
    cell shared_array(node const& value) {
        array_view view = {shared.data() + value.number, /*shape=*/{}, /*strides=*/{}};
        for (auto const& extent : value.parts) {
            view.shape.push_back(extent.value.integer);
        }
        view.strides = view.shape;
        auto stride = static_cast<std::int64_t>(value.type.element.bytes());
        for (std::size_t i = view.shape.size(); i-- > 0; stride *= view.shape[i]) {
            view.strides[i] = stride;
        }
        return add_array(std::move(view));
    }
};

} // namespace spio::cuda_python
