// Reads imports, and words that are no names.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A path is a full
// name, such as math.sin, that a name of the program may stand for. A span is a place in the
// source.
module;

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
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

import :syntax;

namespace spio::cuda_python {

namespace {

constexpr auto reserved = std::to_array<std::string_view>(
    {"False", "None",     "True",   "and",   "as",     "assert", "async",  "await",  "break",
     "class", "continue", "def",    "del",   "elif",   "else",   "except", "exec",   "finally",
     "for",   "from",     "global", "if",    "import", "in",     "is",     "lambda", "nonlocal",
     "not",   "or",       "pass",   "raise", "return", "try",    "while",  "with",   "yield"});

// Reads a dotted name, such as numba.cuda.
std::string read_path(expression_parser& parser) {
    std::string path(parser.expect_name("the name of a module"));
    while (parser.accept("."))
        path += "." + std::string(parser.expect_name("the name of a module"));
    return path;
}

// What a module is called in the paths of names: math, cuda, or types, which stands for any of the
// packages. All of them have all types.
std::string canonical(source_text const& text, span place, std::string const& path) {
    if (path == "math" || path == "__future__") return path;
    for (auto const* known : {"numba", "numbapro", "spio", "numpy"}) {
        if (path == known) return "types";
        if (path == std::string(known) + ".cuda" && path != "numpy.cuda") return "cuda";
    }
    text.fail(place, "modules",
              "there is no module " + in_quotes(path) +
                  "; there are math, numpy, numba, numbapro and spio");
}

} // namespace

void read_import(expression_parser& parser, module_tree& module) {
    auto const& text = module.text;
    auto& names = module.names_for(parser.next().location);
    bool const is_selective = parser.is_keyword("from");
    parser.advance();
    auto const place = parser.next().location;
    auto const path = read_path(parser);
    if (!is_selective) {
        bool const has_alias = parser.accept("as");
        auto const meaning = canonical(text, place, path);
        auto const name = has_alias ? parser.expect_name("a name") : text.text(place);
        auto const package = canonical(text, place, path.substr(0, path.find('.')));
        names.insert_or_assign(name, module_name{place, has_alias ? meaning : package});
        return;
    }
    auto const meaning = canonical(text, place, path);
    parser.expect("import");
    bool const has_bracket = parser.accept("(");
    do {
        auto const name_place = parser.next().location;
        auto const name = parser.expect_name("a name to import");
        auto const alias = parser.accept("as") ? parser.expect_name("a name") : name;
        if (meaning == "__future__") continue;
        names.insert_or_assign(alias, module_name{name_place, path_within(meaning, name)});
    } while (parser.accept(",") && !parser.is_sign(")"));
    if (has_bracket) parser.expect(")");
}

std::string path_within(std::string const& object, std::string_view name) {
    // numba.cuda is cuda, and cuda.float32 is numba.float32.
    if (object == "types" && name == "cuda") return "cuda";
    if (object == "cuda" && scalar_named(name)) return "types." + std::string(name);
    return object + "." + std::string(name);
}

bool is_reserved(std::string_view name) {
    return std::ranges::find(reserved, name) != reserved.end();
}

std::string in_quotes(std::string_view text) {
    std::string result = "'";
    for (char const c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '?';
    return result + (text.size() > 40 ? "...'" : "'");
}

} // namespace spio::cuda_python
