// Rows of a matrix, each times its own factor: how a problem becomes a kernel.
// SPDX-License-Identifier: Apache-2.0
module;

#include "scale_rows/problem.h"

#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

export module scale_rows;

import spio.spec;

namespace spio {
template <> struct fields_of<scale_rows::problem> {
    static constexpr auto all =
        std::tuple(field{"columns", &scale_rows::problem::columns, {.least = 1, .most = 65536}});
};
template <> struct fields_of<scale_rows::config> {
    static constexpr auto all = std::tuple(field{
        "threads", &scale_rows::config::threads, {.least = 32, .most = 1024, .multiple_of = 32}});
};
} // namespace spio

export namespace scale_rows {

using scale_rows::Column;
using scale_rows::factors;
using scale_rows::matrix;
using scale_rows::params;
using scale_rows::problem;
using scale_rows::Row;

// The text of scale_rows.h and scale_rows.cuh: spio_add_family() writes this function.
std::span<spio::header const> kernel_text();

inline spio::spec_of<params> specialize(problem const& p, std::string_view arch) {
    spio::check("scale_rows", p);
    auto const c = config{.threads = p.columns <= 32 ? 32 : p.columns <= 64 ? 64 : 128};
    return spio::specialized<params>(
        {.family = "scale_rows",
         .prefix = "scale_rows_" + std::to_string(p.columns),
         .problem = spio::text_of(p),
         .config = spio::text_of(c),
         .arch = arch,
         .arguments = "scale_rows::problem" + spio::initializer_of(p) + ", scale_rows::config" +
                      spio::initializer_of(c),
         .shape = {.block = {c.threads}},
         .scope = "scale_rows",
         .headers = kernel_text()},
        [p](params const& of) {
            auto const rows = of.factors.extent<Row>();
            if (of.x.extents() != rows + Column(p.columns) || of.y.extents() != of.x.extents()) {
                throw spio::error("launch", "scale_rows " + spio::text_of(p),
                                  "x and y must have so many columns, and a row for each factor");
            }
            return spio::extent{rows.value};
        });
}

inline spio::family const& in_words() {
    static constexpr spio::family one = {
        "scale_rows", [](std::string_view text, std::string_view arch) {
            auto const of = spio::parse<problem>("scale_rows", text);
            return std::vector<spio::spec>{specialize(of, arch)};
        }};
    return one;
}

} // namespace scale_rows
