// Adds __grid_constant__ to clang's intermediate text, since clang 19 cannot read it in a kernel.
// SPDX-License-Identifier: Apache-2.0
//
// A kernel's parameter with __grid_constant__ is read where the launch put it, without a copy. The
// intermediate text is LLVM's, between clang and PTX.
module;

#include <cstddef>
#include <string>

module spio.aot;

import spio.spec;

namespace spio::aot {

// clang 19 does not know __grid_constant__: it copies a parameter to local memory if an instruction
// takes the parameter's address, as TMA's instructions do. Its code generator does know the
// attribute, in this metadata:
//     !nvvm.annotations = !{…, !100}
//     !100 = !{ptr @axpby, !"grid_constant", !101}
//     !101 = !{i32 1}
std::string with_grid_constant(std::string text, std::string const& symbol) {
    constexpr char annotations[] = "\n!nvvm.annotations = !{";
    auto const start = text.find(annotations);
    auto const end = start == text.npos ? start : text.find('}', start);
    if (end == text.npos) {
        throw error(error_kind::tool_failed, "compile", symbol,
                    "clang's intermediate text has no annotations");
    }
    std::size_t next = 0; // the first number that no metadata node has
    for (auto line = text.find("\n!"); line != text.npos; line = text.find("\n!", line + 1)) {
        if (text[line + 2] >= '0' && text[line + 2] <= '9') ++next;
    }
    auto const first = "!" + std::to_string(next), second = "!" + std::to_string(next + 1);
    text.insert(end, ", " + first);
    return text + first + " = !{ptr @" + symbol + ", !\"grid_constant\", " + second + "}\n" +
           second + " = !{i32 1}\n";
}

} // namespace spio::aot
