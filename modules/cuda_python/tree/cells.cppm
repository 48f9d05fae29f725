// What a thread of the interpreter computes with, and the operators on it.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The interpreter
// runs a program without a compiler, each statement for all threads of a block.
module;

#include <string_view>

module spio.cuda_python:cells;

import :tree;
import :types;

namespace spio::cuda_python {

// A number of a type as one of another.
cell converted(cell const&, scalar type, scalar target);
// The result of an operator whose operands are of a type; the result's type matters for quotients.
// `floors` is options::has_floor_division.
cell operated(operation, cell const&, cell const&, scalar type, scalar result, bool floors);
// A function of the module math, for operands of a type. Functions of one operand ignore y.
cell math_of(std::string_view name, cell const& x, cell const& y, scalar type);

} // namespace spio::cuda_python
