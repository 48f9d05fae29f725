// Which arguments of launches each family takes, and how it refuses others, against a record.
// SPDX-License-Identifier: Apache-2.0
//
// A launch passes tensors to a kernel that was made for a problem. Each size and each address of a
// right launch is changed in turn, by one. arguments.txt has the answers: the grid or the problem
// of what is taken, or the words of the refusal. To change them on purpose, record the file:
//     SPIO_RECORD_ARGUMENTS=tests/spec/arguments.txt build/ci/tests/spec/test_spec -tc="*launch*"
#include "tests/spec/recorded.h"

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <doctest/doctest.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

import spio.axpby;
import spio.conv2d;
import spio.layernorm_2d;
import spio.matmul;
import spio.spec;

using namespace spio;

namespace {

std::vector<std::string> lines;
test::digest refusals; // all words of errors, which name the problem too

// Notes what a call answers, or why it is refused.
void ask(std::string const& name, std::function<std::string()> const& call) {
    try {
        lines.push_back(name + ": " + call());
    } catch (error const& e) {
        lines.push_back(name + ": " + e.reason());
        refusals.add(std::string_view(e.what()));
    }
}

// An address that nothing is read from.
template <class T> T* address(int offset) {
    return reinterpret_cast<T*>(std::uintptr_t{0x10000} + static_cast<std::uintptr_t>(offset));
}

// The numbers of a launch: sizes of tensors, and where each begins (-1: it is not there). Each is
// asked of this by a call, in order, which changes one of them: `number`, by `amount`.
struct changes {
    int number = -1, amount = 0, count = 0;

    int operator()(int value) { return count++ == number ? value + amount : value; }
    template <class T> T* place() {
        int const offset = (*this)(0);
        return offset < 0 ? nullptr : address<T>(offset);
    }
};
// Calls f with each of its numbers changed by each of these amounts, and with none changed.
void change_each(std::string const& name, std::vector<int> const& amounts,
                 std::function<std::string(changes&)> const& f) {
    changes none;
    ask(name, [&] { return f(none); });
    for (int number = 0; number < none.count; ++number) {
        for (int const amount : amounts) {
            changes changed = {.number = number, .amount = amount};
            ask(name + " " + std::to_string(number) + (amount < 0 ? " " : " +") +
                    std::to_string(amount),
                [&] { return f(changed); });
        }
    }
}

// The sizes that a launch may pass.
std::string launched_sizes(conv2d::problem const& p) {
    std::string text;
    for (int const number : {p.n, p.c, p.h, p.w, p.pad_h, p.pad_w}) {
        text += std::to_string(number) + " ";
    }
    return text;
}

// Makes the arguments of a correlation (fprop or dgrad) with one number changed, and returns the
// sizes that the launch takes from them; throws if it refuses them.
template <class T> std::string taken_correlation(conv2d::problem const& p, changes& change) {
    using namespace conv2d;
    auto const s = correlation_of(p);
    int const bias = p.bias ? p.c : 0, scale = p.scale ? p.c : 0;
    bool const residual = p.residual, second = p.preactivation, derivative = p.has_derivative();
    auto const output = [&]<class U>(U*, bool is_there) {
        return is_there ? output_of<U>(change.place<U>(), N(change(p.n)), P(change(s.p)),
                                       Q(change(s.q)), K(change(p.c)))
                        : output_of<U>();
    };
    auto const input = [&](bool is_there) {
        return is_there ? input_of<T const>(change.place<T const>(), N(change(p.n)), H(change(s.h)),
                                            W(change(s.w)), C(change(p.c)))
                        : input_of<T const>();
    };
    correlation_args<T> const args = {
        .input = input(true),
        .filter = filter_of<T const>(change.place<T const>(), K(change(p.c)), R(change(p.r)),
                                     S(change(p.s))),
        .bias = bias_of<float const>(change.place<float const>(), K(change(bias))),
        .output = output(static_cast<T*>(nullptr), true)};
    epilogue_args<T> const epilogue = {
        .scale = bias_of<float const>(change.place<float const>(), K(change(scale))),
        .residual = output(static_cast<T const*>(nullptr), residual),
        .preactivation = output(static_cast<T*>(nullptr), second),
        .input_preactivation = input(derivative)};
    return launched_sizes(problem_of(p, args, epilogue));
}

// The same for the gradient of the filter (wgrad), whose elements are of type Gradient.
template <class Gradient, class T>
std::string taken_gradient(conv2d::problem const& p, changes& change) {
    using namespace conv2d;
    int const bias = p.bias ? p.c : 0;
    return launched_sizes(problem_of(
        p, wgrad_args<Gradient, T>{
               .x = input_of<T const>(change.place<T const>(), N(change(p.n)), H(change(p.h)),
                                      W(change(p.w)), C(change(p.c))),
               .dy = output_of<T const>(change.place<T const>(), N(change(p.n)), P(change(p.p())),
                                        Q(change(p.q())), K(change(p.c))),
               .dw = filter_of<Gradient>(change.place<Gradient>(), K(change(p.c)), R(change(p.r)),
                                         S(change(p.s))),
               .dbias = bias_of<float>(change.place<float>(), K(change(bias))),
               .workspace = floats(change.place<float>(), FLOAT(change(0)))}));
}

void ask_convolutions() {
    auto const problem = [](std::string const& words) {
        return parse<conv2d::problem>("conv2d", "n=2 c=16 h=6 w=9 r=3 s=5 " + words);
    };
    std::vector<int> const amounts = {1, -1};
    for (std::string const words :
         {"bias=true scale=true residual=true preactivation=true", "made_for=any_n",
          "made_for=any_image bias=true", "made_for=any_layer", "pass=dgrad activation=silu",
          "pass=dgrad stride_h=2", "pass=dgrad made_for=any_layer"}) {
        change_each("conv2d " + words, amounts, [&](changes& change) {
            return taken_correlation<half>(problem(words), change);
        });
    }
    for (std::string const words :
         {"pass=wgrad bias=true", "pass=wgrad made_for=any_n", "pass=wgrad made_for=any_image",
          "pass=wgrad made_for=any_layer"}) {
        change_each("conv2d " + words, amounts, [&](changes& change) {
            return taken_gradient<float, half>(problem(words), change);
        });
    }
    changes none;
    ask("conv2d of another type", [&] { return taken_correlation<bfloat16>(problem(""), none); });
    ask("conv2d gradient of another type",
        [&] { return taken_gradient<half, half>(problem("pass=wgrad"), none); });
    ask("conv2d gradients of another type",
        [&] { return taken_gradient<float, bfloat16>(problem("pass=wgrad"), none); });
    // The bounds of a grid, and of channels and sizes that come with a launch.
    for (std::string const words :
         {"n=2147483647 c=8 h=6 w=8", "n=1 c=2147483640 h=6 w=8",
          "n=1 c=1048576 h=6 w=8 made_for=any_layer", "n=1 c=1048584 h=6 w=8 made_for=any_layer",
          "n=1 c=8 h=2147483645 w=1", "n=1 c=8 h=2147483646 w=1",
          "n=1 c=8 h=1 w=2147483645 pad_w=2", "n=1 c=8 h=3 w=1 r=5 pad_h=0",
          "n=1 c=8 h=3 w=1 r=2 dilation_h=2 pad_h=0", "n=1 c=8 h=2 w=1 r=2 dilation_h=2 pad_h=0",
          "n=1 c=8 h=9 w=9 stride_h=2 made_for=any_layer"}) {
        auto const p = parse<conv2d::problem>("conv2d", words);
        for (auto const& config : {conv2d::config(conv2d::cp_async::config{.groups = 1,
                                                                           .images = 1,
                                                                           .columns = 8,
                                                                           .rows = 1,
                                                                           .mma_tiles = 1,
                                                                           .stages = 4,
                                                                           .blocks = 0,
                                                                           .unrolled = true}),
                                   conv2d::config(conv2d::tma::config{.groups = 1,
                                                                      .images = 1,
                                                                      .columns = 8,
                                                                      .rows = 1,
                                                                      .tiles_per_block = 1,
                                                                      .blocks = 0})}) {
            ask("conv2d " + words + " " + conv2d::config_text(config),
                [&] { return std::to_string(conv2d::grid(p, config).x); });
        }
    }
}

void ask_products() {
    for (std::string const words :
         {"bias=true residual=true batch=3", "a=columns b=columns result=fp32 alignment=4",
          "made_for=none", "made_for=any_m", "made_for=any_n", "made_for=any_k"}) {
        auto const p = parse<matmul::problem>("matmul", "m=24 n=40 k=56 " + words);
        // 8 elements keep the alignment of 16 bytes; -64 makes every size negative.
        change_each("matmul " + words, {1, -1, 8, -64}, [&](changes& change) {
            auto const matrix = [&]<class T>(T*, int leading) {
                return matmul::matrix<T>{change.place<T>(), change(leading), change(4096)};
            };
            void const* constant = nullptr;
            void* variable = nullptr;
            bool const a_by_rows = p.a == matmul::order::rows,
                       b_by_rows = p.b == matmul::order::rows;
            matmul::args const args = {
                .sizes = {change(p.m), change(p.n), change(p.k), change(p.batch)},
                .a = matrix(constant, a_by_rows ? p.k : p.m),
                .b = matrix(constant, b_by_rows ? p.n : p.k),
                .bias = change.place<float const>(),
                .c = matrix(constant, p.n),
                .d = matrix(variable, p.n)};
            matmul::check(p, args);
            return std::string("taken");
        });
    }
    matmul::problem const p = {.m = 64, .n = 64, .k = 64};
    matmul::cp_async::config const small = {
        .m = 64, .n = 64, .warps_m = 2, .warps_n = 2, .stages = 4, .band = 16};
    matmul::wgmma::config const wide = {
        .m = 64, .n = 64, .stages = 4, .buffers = 2, .cluster_m = 1, .cluster_n = 1, .band = 8};
    for (long long const leading : {1LL << 24, (1LL << 24) + 1}) {
        for (bool const is_a : {true, false}) {
            matmul::args args = {.sizes = {64, 64, 64, 1}, .a = {}, .b = {}, .d = {}};
            (is_a ? args.a : args.b).leading = leading;
            ask("matmul cp_async, lines " + std::to_string(leading) + (is_a ? " in a" : " in b"),
                [&] { return std::to_string(matmul::specialize(p, small, sm_80).grid({args}).x); });
        }
    }
    auto unknown = p;
    unknown.made_for = matmul::known_sizes::none;
    for (int n = 63; n < 74; ++n) {
        ask("matmul wgmma, n " + std::to_string(n), [&] {
            matmul::wgmma::params params = {};
            params.sizes = {64, n, 64, 1};
            return std::to_string(matmul::specialize(unknown, wide, sm_90a).grid(params).x);
        });
    }
    for (int const batch : {1, 2, 524287, 524288, INT_MAX}) {
        for (auto const& config : {matmul::config(small), matmul::config(wide)}) {
            ask("matmul grid of batch " + std::to_string(batch) + " " + matmul::config_text(config),
                [&] {
                    return std::to_string(
                        matmul::grid({64 * 64, 64 * 64, 8, batch}, config, sm_90a).x);
                });
        }
    }
    for (int blocks = 0; blocks < 10; ++blocks) {
        for (arch const arch : {sm_90a, host_arch, sm_80, sm_89}) {
            auto config = wide;
            config.cluster_m = blocks;
            ask("matmul clusters of " + std::to_string(blocks) + " on " + text_of(arch),
                [&] { return std::to_string(matmul::concurrent_clusters(config, arch)); });
        }
    }
}

void ask_vectors() {
    for (bool const affine : {true, false}) {
        layernorm_2d::problem const p = {.channels = 64, .affine = affine};
        auto const spec = layernorm_2d::specialize(p, sm_80);
        int const factors = affine ? 64 : 0;
        change_each("layernorm_2d " + text_of(p), {1, -1, -6}, [&](changes& change) {
            using namespace layernorm_2d;
            int const x = change(5), y = x - change(0);
            params const params = {
                .x = images_of<half const>(address<half const>(0), X(x), C(change(64))),
                .y = images_of<half>(address<half>(0), X(y), C(change(64))),
                .weight = factors_to_read(address<float const>(0), C(change(factors))),
                .bias = factors_to_read(address<float const>(0), C(change(factors)))};
            return std::to_string(spec.grid(params).x);
        });
    }
    auto const spec = axpby::specialize({.n = 1000}, sm_80);
    for (int x = -1; x < 2; ++x) {
        for (int y = -1; y < 2; ++y) {
            ask("axpby of " + std::to_string(x) + " and " + std::to_string(y), [&] {
                axpby::params const params = {
                    .a = 1,
                    .x = decltype(axpby::params::x)(address<float const>(0), axpby::N(x)),
                    .b = 1,
                    .y = decltype(axpby::params::y)(address<float>(0), axpby::N(y))};
                return std::to_string(spec.grid(params).x);
            });
        }
    }
}

} // namespace

TEST_CASE("arguments of launches are taken or refused as recorded") {
    lines.clear();
    ask_convolutions();
    ask_products();
    ask_vectors();
    lines.push_back("all refusals: " + refusals.text());
    auto const number = test::compare_with_record(lines, SPIO_ARGUMENTS, "SPIO_RECORD_ARGUMENTS");
    std::cout << "summary: spec.arguments: " << number << " answers as recorded\n";
}
