// Runs a typed program without a compiler: each statement for all threads of a block, under a mask.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A mask says which
// threads of a block take part in a statement; a cell is the value of one thread, a column the
// cells of all. A slot is a variable of one type. A frame has the variables of one call, each with
// a value for every lane. evaluate() computes an expression for the lanes of a mask, columns()
// several; move_lanes() takes lanes out of one mask and puts them into another.
module;

#include "spio/launch_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python;

import :cells;
import :evaluation;
import :tree;

namespace spio::cuda_python {

namespace {

// Runs a kernel for one block. A branch is executed once, for the lanes that take it.
class block_interpreter : evaluator {
  public:
    block_interpreter(typed_program const& program, extent grid, extent block, std::uint64_t steps)
        : evaluator(program, grid, block), steps(steps) {}

    void run(extent index, std::vector<parameter> const& parameters, void const* params) {
        block_index = index;
        auto const& kernel = program.functions.back();
        frame frame(kernel, count);
        auto const* const bytes = static_cast<unsigned char const*>(params);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            auto const& parameter = parameters[i];
            auto const value = argument(bytes + parameter.offset, parameter.type);
            frame.slots[i].assign(count, value);
        }
        mask active(count, 1);
        kernel_frame = &frame;
        execute_block(kernel.body, active, frame);
    }

    // The value of an expression without variables.
    column compute(node const& value, mask const& lanes) {
        static typed_function const none;
        frame frame(none, count);
        return evaluate(value, lanes, frame);
    }

  private:
    std::uint64_t steps;
    frame* kernel_frame = nullptr;

    // Runs a device function for the lanes; its result has a column for each part of a tuple.
    std::vector<column> called(node const& call, mask const& lanes, frame& caller) override {
        auto const& function = program.functions[static_cast<std::size_t>(call.number)];
        frame callee(function, count);
        auto operands = columns(call.parts, lanes, caller);
        std::ranges::move(operands, callee.slots.begin());
        callee.result.resize(std::max<std::size_t>(function.result.parts.size(), 1), column(count));
        auto active = lanes;
        execute_block(function.body, active, callee);
        return std::move(callee.result);
    }
    // The parts of a tuple, or of what a function returns; a column for any other value.
    std::vector<column> parts_of(node const& value, mask const& lanes, frame& frame) {
        if (value.form == form::tuple) return columns(value.parts, lanes, frame);
        if (value.form == form::call) return called(value, lanes, frame);
        return {evaluate(value, lanes, frame)};
    }
    // Runs statements; the lanes that leave the block are taken from the mask.
    void execute_block(node const& statements, mask& active, frame& frame) {
        for (auto const& statement : statements.parts) {
            if (!has_any(active)) return;
            take_step(statement);
            execute(statement, active, frame);
        }
    }
    void take_step(node const& statement) {
        if (steps-- == 0) fail(statement.location, "the kernel takes too many steps");
    }
    void execute(node const& statement, mask& active, frame& frame) {
        auto const& values = statement.parts;
        switch (statement.form) {
        case form::evaluate:
            evaluate(values[0], active, frame);
            return;
        case form::store:
            return store(statement.number, evaluate(values[0], active, frame), active, frame);
        case form::write: {
            auto const operand = evaluate(values[0], active, frame);
            auto const addresses = places(statement, std::span(values).subspan(1), active, frame);
            return write(addresses, operand, values[1].type.element, active);
        }
        case form::augment:
            return execute_augmented(statement, active, frame);
        case form::unpack: {
            int slot = statement.number;
            for (auto const& part : called(values[0], active, frame)) {
                store(slot++, part, active, frame);
            }
            return;
        }
        case form::choose:
            return execute_choice(statement, active, frame);
        case form::repeat:
            return loop(statement, active, frame,
                        [&](mask const& lanes) { return holding(values[0], lanes, frame); });
        case form::count:
            return execute_for(statement, active, frame);
        case form::leave:
            return execute_return(statement, active, frame);
        case form::barrier:
            return check_barrier(statement, active);
        default:
            bool const is_break = statement.form == form::break_loop;
            return move_lanes(active, is_break ? frame.broken : frame.continued, mask(active));
        }
    }
    // Writes the values of the active lanes to a variable.
    void store(int slot, column const& values, mask const& active, frame& frame) {
        auto& target = frame.slots[static_cast<std::size_t>(slot)];
        for (std::size_t i = 0; i < count; ++i) {
            if (active[i] != 0) target[i] = values[i];
        }
    }
    // A statement such as x[i] += 1: reads the old value into a variable, and writes the new value,
    // an expression of that variable.
    void execute_augmented(node const& statement, mask const& active, frame& frame) {
        auto const& element = statement.parts[0];
        auto const type = element.type.element;
        auto const addresses = places(element, element.parts, active, frame);
        auto const old =
            each_lane(active, [&](std::size_t i) { return read_number(addresses[i], type); });
        store(statement.number, old, active, frame);
        write(addresses, evaluate(statement.parts[1], active, frame), type, active);
    }
    // The addresses of an element, of an array and its indices, for all active lanes.
    std::vector<unsigned char*> places(span location, std::span<node const> values,
                                       mask const& active, frame& frame) {
        auto const parts = columns(values, active, frame);
        std::vector<unsigned char*> result(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (active[i] != 0) result[i] = place(location, parts, i);
        }
        return result;
    }
    // Writes the values of active lanes, each at its place.
    void write(std::vector<unsigned char*> const& places, column const& values, scalar type,
               mask const& active) {
        for (std::size_t i = 0; i < count; ++i) {
            if (active[i] != 0) write_number(places[i], values[i], type);
        }
    }
    // Each branch runs for the lanes whose condition holds; then all that did not leave go on.
    void execute_choice(node const& choice, mask& active, frame& frame) {
        mask done(count);
        auto taken = active;
        for (auto const& part : choice.parts) {
            if (part.form != form::block) {
                taken = holding(part, active, frame);
                continue;
            }
            if (&part == &choice.parts.back()) taken = active; // the else
            for (std::size_t i = 0; i < count; ++i) active[i] = active[i] && !taken[i];
            execute_block(part, taken, frame);
            move_lanes(taken, done, mask(taken));
        }
        move_lanes(done, active, mask(done));
    }
    // The lanes for which a condition is true.
    mask holding(node const& condition, mask const& lanes, frame& frame) {
        auto const values = has_any(lanes) ? evaluate(condition, lanes, frame) : column(count);
        mask result(count);
        for (std::size_t i = 0; i < count; ++i) result[i] = lanes[i] && values[i].integer != 0;
        return result;
    }

    // Runs the body of a loop for the lanes for which next() holds, until there are none.
    template <class F> void loop(node const& statement, mask& active, frame& frame, F next) {
        auto const outer_broken = std::exchange(frame.broken, mask(count));
        auto const outer_continued = std::exchange(frame.continued, mask(count));
        mask left(count);
        while (has_any(active)) {
            take_step(statement);
            auto running = next(active);
            for (std::size_t i = 0; i < count; ++i) left[i] |= active[i] && !running[i];
            execute_block(statement.parts.back(), running, frame);
            active = std::move(running);
            move_lanes(frame.continued, active, mask(frame.continued));
        }
        active = std::move(left);
        move_lanes(frame.broken, active, mask(frame.broken));
        frame.broken = outer_broken;
        frame.continued = outer_continued;
    }
    // A loop over range(start, stop, step), whose number of rounds each lane knows at its start.
    void execute_for(node const& statement, mask& active, frame& frame) {
        auto value = evaluate(statement.parts[0], active, frame);
        auto const stop = evaluate(statement.parts[1], active, frame);
        auto const step = evaluate(statement.parts[2], active, frame);
        std::vector<std::uint64_t> rounds(count);
        for (std::size_t i = 0; i < count; ++i) {
            auto const a = value[i].integer, b = stop[i].integer, s = step[i].integer;
            auto const distance =
                s > 0 ? static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a)
                      : static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
            auto const width =
                s > 0 ? static_cast<std::uint64_t>(s) : 0 - static_cast<std::uint64_t>(s);
            if (s > 0 ? a < b : s < 0 && a > b) rounds[i] = (distance - 1) / width + 1;
        }
        constexpr bool floors = false; // of no importance for a sum
        loop(statement, active, frame, [&](mask const& lanes) {
            auto running = lanes;
            for (std::size_t i = 0; i < count; ++i) running[i] = lanes[i] && rounds[i] > 0;
            store(statement.number, value, running, frame);
            for (std::size_t i = 0; i < count; ++i) {
                if (running[i] == 0) continue;
                --rounds[i];
                value[i] = operated("+"_binary, value[i], step[i], intp, intp, floors);
            }
            return running;
        });
    }
    void execute_return(node const& statement, mask& active, frame& frame) {
        if (!statement.parts.empty()) {
            auto const values = parts_of(statement.parts[0], active, frame);
            for (std::size_t part = 0; part < values.size(); ++part) {
                for (std::size_t i = 0; i < count; ++i) {
                    if (active[i] != 0) frame.result[part][i] = values[part][i];
                }
            }
        }
        move_lanes(active, frame.returned, mask(active));
    }
    // A barrier must be reached by all threads that have not returned.
    void check_barrier(node const& statement, mask const& active) {
        for (std::size_t i = 0; i < count; ++i) {
            if (active[i] == 0 && kernel_frame->returned[i] == 0) {
                fail(statement.location, "a barrier is not reached by " + thread_text(i));
            }
        }
    }
};

} // namespace

// Runs a kernel for all threads of a grid, one block after the other; each block may take `steps`
// steps. `params` is the kernel's struct of parameters.
void interpret(kernel const& kernel, extent grid, extent block, void const* params,
               std::uint64_t steps) {
    for (long long number = 0; number < grid.count(); ++number) {
        block_interpreter threads(*kernel.tree, grid, block, steps);
        threads.run(grid.index_of(number), kernel.parameters, params);
    }
}

namespace {

// Whether a value consists of constants, coercions, operations and math alone.
bool is_constant(node const& value) {
    bool const is_computed =
        value.form == form::coercion || value.form == form::operation || value.form == form::math;
    return value.form == form::constant ||
           (is_computed && std::ranges::all_of(value.parts, is_constant));
}

} // namespace

// Computes a constant expression by the interpreter itself, as a kernel of one thread.
std::optional<cell> constant_value(node const& value, options options) {
    if (!value.type.is_number() || !is_constant(value)) return {};
    typed_program program;
    program.options = options;
    block_interpreter thread(program, /*grid=*/{}, /*block=*/{}, /*steps=*/0);
    return thread.compute(value, mask{/*is_active=*/1})[0];
}

} // namespace spio::cuda_python
