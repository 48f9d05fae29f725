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
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

module spio.cuda_python;

import :cells;
import :evaluation;
import :syntax;
import :typed;

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
        execute(kernel.body, active, frame);
    }

    // The value of an expression without variables.
    column compute(value const& value, mask const& lanes) {
        static typed_function const none;
        frame frame(none, count);
        return evaluate(value, lanes, frame);
    }

  private:
    std::uint64_t steps;
    frame* kernel_frame = nullptr;

    // Runs a device function for the lanes; its result has a column for each part of a tuple.
    std::vector<column> called(call_value const& node, mask const& lanes, frame& caller) override {
        auto const& function = program.functions[static_cast<std::size_t>(node.function)];
        frame callee(function, count);
        auto operands = columns(node.operands, lanes, caller);
        std::ranges::move(operands, callee.slots.begin());
        callee.result.resize(std::max<std::size_t>(function.result.parts.size(), 1), column(count));
        auto active = lanes;
        execute(function.body, active, callee);
        return std::move(callee.result);
    }
    // Runs statements; the lanes that leave the block are taken from the mask.
    void execute(typed_block const& statements, mask& active, frame& frame) {
        for (auto const& statement : statements) {
            if (!has_any(active)) return;
            if (steps-- == 0) fail(statement.location, "the kernel takes too many steps");
            std::visit([&](auto const& node) { execute_node(statement, node, active, frame); },
                       statement.node);
        }
    }
    // Writes the values of the active lanes to a variable.
    void store(int slot, column const& values, mask const& active, frame& frame) {
        auto& target = frame.slots[static_cast<std::size_t>(slot)];
        for (std::size_t i = 0; i < count; ++i) {
            if (active[i] != 0) target[i] = values[i];
        }
    }
    void execute_node(typed_statement const&, store_slot const& node, mask& active, frame& frame) {
        store(node.slot, evaluate(*node.operand, active, frame), active, frame);
    }
    // Stores to an element of an array. With old_slot, the statement is such as x[i] += 1: the old
    // value is read to that variable first, of which the operand makes the new one.
    void execute_node(typed_statement const& statement, store_element const& node, mask& active,
                      frame& frame) {
        auto const type = node.array->type.element;
        column operand;
        if (node.old_slot < 0) operand = evaluate(*node.operand, active, frame);
        auto const array = evaluate(*node.array, active, frame);
        auto const indices = columns(node.indices, active, frame);
        std::vector<unsigned char*> places(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (active[i] != 0) places[i] = place(statement.location, array[i], indices, i);
        }
        if (node.old_slot >= 0) {
            auto const old =
                each_lane(active, [&](std::size_t i) { return read_number(places[i], type); });
            store(node.old_slot, old, active, frame);
            operand = evaluate(*node.operand, active, frame);
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (active[i] != 0) write_number(places[i], operand[i], type);
        }
    }
    void execute_node(typed_statement const&, evaluation const& node, mask& active, frame& frame) {
        evaluate(*node.operand, active, frame);
    }
    // Stores the parts of a tuple, or of what a function returns, to variables.
    void execute_node(typed_statement const&, unpacking const& node, mask& active, frame& frame) {
        auto const* tuple = std::get_if<tuple_value>(&node.operand->node);
        auto const parts = tuple ? columns(tuple->parts, active, frame)
                                 : called(std::get<call_value>(node.operand->node), active, frame);
        for (std::size_t i = 0; i < parts.size(); ++i)
            store(node.slots[i], parts[i], active, frame);
    }
    // Each branch runs for the lanes whose condition holds; then all that did not leave go on.
    void execute_node(typed_statement const&, typed_if const& node, mask& active, frame& frame) {
        mask done(count);
        for (auto const& branch : node.branches) {
            auto taken = active;
            if (branch.condition) taken = holding(*branch.condition, active, frame);
            for (std::size_t i = 0; i < count; ++i) active[i] = active[i] && !taken[i];
            execute(branch.body, taken, frame);
            move_lanes(taken, done, mask(taken));
        }
        move_lanes(done, active, mask(done));
    }
    // The lanes for which a condition is true.
    mask holding(value const& condition, mask const& lanes, frame& frame) {
        auto const values = has_any(lanes) ? evaluate(condition, lanes, frame) : column(count);
        mask result(count);
        for (std::size_t i = 0; i < count; ++i) result[i] = lanes[i] && values[i].integer != 0;
        return result;
    }

    // Runs the body of a loop for the lanes for which next() holds, until there are none.
    template <class F>
    void loop(typed_statement const& statement, typed_block const& body, mask& active, frame& frame,
              F next) {
        auto const outer_broken = std::exchange(frame.broken, mask(count));
        auto const outer_continued = std::exchange(frame.continued, mask(count));
        mask left(count);
        while (has_any(active)) {
            if (steps-- == 0) fail(statement.location, "the kernel takes too many steps");
            auto running = next(active);
            for (std::size_t i = 0; i < count; ++i) left[i] |= active[i] && !running[i];
            execute(body, running, frame);
            active = std::move(running);
            move_lanes(frame.continued, active, mask(frame.continued));
        }
        active = std::move(left);
        move_lanes(frame.broken, active, mask(frame.broken));
        frame.broken = outer_broken;
        frame.continued = outer_continued;
    }
    void execute_node(typed_statement const& statement, typed_while const& node, mask& active,
                      frame& frame) {
        loop(statement, node.body, active, frame,
             [&](mask const& lanes) { return holding(*node.condition, lanes, frame); });
    }
    // A loop over range(start, stop, step), whose number of rounds each lane knows at its start.
    void execute_node(typed_statement const& statement, typed_for const& node, mask& active,
                      frame& frame) {
        auto value = evaluate(*node.start, active, frame);
        auto const stop = evaluate(*node.stop, active, frame);
        auto const step = evaluate(*node.step, active, frame);
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
        loop(statement, node.body, active, frame, [&](mask const& lanes) {
            auto running = lanes;
            for (std::size_t i = 0; i < count; ++i) running[i] = lanes[i] && rounds[i] > 0;
            store(node.counter, value, running, frame);
            for (std::size_t i = 0; i < count; ++i) {
                if (running[i] == 0) continue;
                --rounds[i];
                value[i] = operated(operation::add, value[i], step[i], intp, intp, false);
            }
            return running;
        });
    }
    void execute_node(typed_statement const&, typed_return const& node, mask& active,
                      frame& frame) {
        if (node.operand) {
            auto const* tuple = std::get_if<tuple_value>(&node.operand->node);
            auto const* call = std::get_if<call_value>(&node.operand->node);
            std::vector<column> values;
            if (tuple) {
                values = columns(tuple->parts, active, frame);
            } else if (call) {
                values = called(*call, active, frame);
            } else {
                values.push_back(evaluate(*node.operand, active, frame));
            }
            for (std::size_t part = 0; part < values.size(); ++part) {
                for (std::size_t i = 0; i < count; ++i) {
                    if (active[i] != 0) frame.result[part][i] = values[part][i];
                }
            }
        }
        move_lanes(active, frame.returned, mask(active));
    }
    void execute_node(typed_statement const&, jump const& node, mask& active, frame& frame) {
        auto& target = node == jump::break_loop ? frame.broken : frame.continued;
        move_lanes(active, target, mask(active));
    }
    void execute_node(typed_statement const& statement, barrier const&, mask& active, frame&) {
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
bool is_constant(value const& value) {
    auto const are_constant = [](value_list const& operands) {
        return std::ranges::all_of(operands,
                                   [](auto const& operand) { return is_constant(*operand); });
    };
    if (std::holds_alternative<constant>(value.node)) return true;
    if (auto const* cast = std::get_if<coercion>(&value.node)) return is_constant(*cast->operand);
    if (auto const* node = std::get_if<operation_value>(&value.node)) {
        return are_constant(node->operands);
    }
    auto const* node = std::get_if<math_value>(&value.node);
    return node && are_constant(node->operands);
}

} // namespace

// Computes a constant expression by the interpreter itself, as a kernel of one thread.
std::optional<constant> constant_value(value const& value, options options) {
    if (!value.type.is_number() || !is_constant(value)) return {};
    typed_program program;
    program.options = options;
    block_interpreter thread(program, {}, {}, 0);
    auto const result = thread.compute(value, mask(1, 1))[0];
    auto const type = value.type.element;
    if (type.is_boolean()) return constant{result.integer != 0};
    if (type.is_integer()) return constant{result.integer};
    if (type.is_real()) return constant{result.real};
    return constant{std::complex<double>(result.real, result.imaginary)};
}

} // namespace spio::cuda_python
