// Checks the arguments of launches of convolutions.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of the input, wgrad that of the filter; x is the
// input, y the output, and dy the gradient of the output. fprop and dgrad are both correlations. A
// residual is a tensor that is added to the output, a preactivation the value before the
// activation, of which dgrad takes the derivative. has_static_n() says whether the number of
// images, has_static_image() whether the height and width, has_static_layer() whether the channels
// and the padding are known when a kernel is compiled.
module;

#include "conv2d/problem.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

module spio.conv2d;

import spio.spec;

namespace spio::conv2d {

namespace {

// The extents of a tensor in these dimensions, for messages.
template <class... Ds, class Tensor> [[gnu::cold]] std::string sizes_text(Tensor const& tensor) {
    std::string text;
    ((text += (text.empty() ? "" : " x ") + std::to_string(tensor.template extent<Ds>().get())),
     ...);
    return text;
}
// The same of numbers.
[[gnu::cold]] std::string sizes_text(std::initializer_list<int> sizes) {
    std::string text;
    for (int const size : sizes) text += (text.empty() ? "" : " x ") + std::to_string(size);
    return text;
}
[[noreturn, gnu::cold]] void refuse_launch(problem const& problem, std::string reason) {
    throw error(error_kind::invalid, "launch", "conv2d " + text_of(problem), std::move(reason));
}
// Kernels access tensors by vectors of 16 bytes, so each tensor must be aligned to 16.
void check_address(problem const& problem, char const* tensor, void const* address) {
    auto const value = reinterpret_cast<std::uintptr_t>(address);
    if (value == 0) refuse_launch(problem, std::string(tensor) + " is a null pointer");
    if (value % 16 != 0) {
        refuse_launch(problem, std::string(tensor) + " begins at no multiple of 16 bytes");
    }
}
// The sizes of the tensors x (n, h, w, c) and y (n, p, q, c) in a launch.
struct launch_extents {
    int n, h, w, p, q, c;
};
// The problem of a launch: the compiled one with the sizes of the tensors that are passed. For a
// kernel that serves any layer, the channels and the padding follow from them too.
problem launched_problem(problem const& compiled_problem, launch_extents const& sizes) {
    problem launched = compiled_problem.with(sizes.n, sizes.h, sizes.w);
    if (compiled_problem.has_static_layer()) return launched;
    auto const padding = [](int output, int input, int extent) {
        return static_cast<int>((1LL * output - input + extent - 1) / 2);
    };
    launched.c = sizes.c;
    launched.pad_h = padding(sizes.p, sizes.h, launched.extent_h());
    launched.pad_w = padding(sizes.q, sizes.w, launched.extent_w());
    return launched;
}
// Whether a kernel may be launched on this problem. For any other image no size may be computed: it
// might not fit into an int.
bool allows(problem const& compiled_problem, problem const& launched) {
    if (compiled_problem.has_static_image()) {
        if (launched.h != compiled_problem.h || launched.w != compiled_problem.w) return false;
    } else {
        // check() converts the problem to text, which is too slow for every launch, so it is only
        // called to word the error.
        bool const is_layer = compiled_problem.has_static_layer() ||
                              (launched.c > 0 && launched.c % group_width == 0 &&
                               launched.c <= most_channels_of_any_layer && launched.pad_h >= 0 &&
                               launched.pad_w >= 0);
        if (launched.h < 1 || launched.w < 1 || !is_layer) check(launched);
        check_sides(launched);
    }
    return launched.n > 0 && (!compiled_problem.has_static_n() || launched.n == compiled_problem.n);
}

// The problem with the sizes that a launch must have: those that are compiled in, and otherwise its
// own.
[[gnu::cold]] problem needed_problem(problem const& compiled_problem, problem launched) {
    if (compiled_problem.has_static_image()) {
        launched.h = compiled_problem.h;
        launched.w = compiled_problem.w;
    }
    launched.n = compiled_problem.has_static_n() ? compiled_problem.n : std::max(launched.n, 1);
    return launched;
}
// The end of the error of a launch with other sizes: those that the kernel takes.
[[gnu::cold]] std::string needed_text(problem const& problem) {
    correlation const sizes = correlation_of(problem);
    return "; the kernel takes input " + sizes_text({problem.n, sizes.h, sizes.w, problem.c}) +
           ", output " + sizes_text({problem.n, sizes.p, sizes.q, problem.c}) + ", the filter " +
           sizes_text({problem.c, problem.r, problem.s}) + ", the bias " +
           sizes_text({problem.bias ? problem.c : 0});
}
[[gnu::cold]] std::string needed_text_of_gradient(problem const& problem) {
    return "; the kernel takes x " + sizes_text({problem.n, problem.h, problem.w, problem.c}) +
           ", dy " + sizes_text({problem.n, problem.p(), problem.q(), problem.c}) + ", dw " +
           sizes_text({problem.c, problem.r, problem.s}) + ", dbias " +
           sizes_text({problem.bias ? problem.c : 0});
}

// The type of elements of a tensor that is an argument.
template <class T>
constexpr auto precision_of_elements = same<T, float>  ? precision::fp32
                                       : same<T, half> ? precision::fp16
                                                       : precision::bf16;
// Throws if the problem's elements are of another type; `tensors` names those of a launch.
template <class T> void check_type(problem const& problem, char const* tensors) {
    // Parameters of a kernel have element_bits for elements of any type: there is nothing to
    // compare.
    if constexpr (!same<T, element_bits>) {
        if (precision_of_elements<T> == precision_of(problem.type)) return;
        refuse_launch(problem, std::string(tensors) + " are of " +
                                   enumerator_name(precision_of_elements<T>) +
                                   ", but the kernel takes " + enumerator_name(problem.type));
    }
}

// Throws if a tensor has other sizes than another, or is not aligned. Ds are its dimensions.
template <class... Ds, class Tensor, class Other>
void check_like(problem const& problem, char const* name, Tensor const& tensor,
                Other const& other) {
    if (tensor.extents() != other.extents()) {
        refuse_launch(problem, std::string(name) +
                                   " has other sizes: " + sizes_text<Ds...>(tensor) +
                                   "; it must have " + sizes_text<Ds...>(other));
    }
    check_address(problem, name, tensor.get());
}

} // namespace

template <class T>
problem problem_of(problem const& compiled_problem, correlation_args<T> const& args) {
    int const input_h = args.input.template extent<H>().get(),
              input_w = args.input.template extent<W>().get(),
              output_p = args.output.template extent<P>().get(),
              output_q = args.output.template extent<Q>().get();
    bool const is_forward = compiled_problem.pass == direction::fprop;
    problem const launched =
        launched_problem(compiled_problem, {.n = args.output.template extent<N>().get(),
                                            .h = is_forward ? input_h : output_p,
                                            .w = is_forward ? input_w : output_q,
                                            .p = is_forward ? output_p : input_h,
                                            .q = is_forward ? output_q : input_w,
                                            .c = args.input.template extent<C>().get()});
    bool const is_allowed = allows(compiled_problem, launched);
    correlation const sizes = is_allowed ? correlation_of(launched) : correlation();
    bool const agrees = is_allowed &&
                        args.input.extents() == make_coordinates(N(launched.n), H(sizes.h),
                                                                 W(sizes.w), C(launched.c)) &&
                        args.output.extents() == make_coordinates(N(launched.n), P(sizes.p),
                                                                  Q(sizes.q), K(launched.c)) &&
                        args.filter.template extent<K>() == K(launched.c) &&
                        args.filter.template extent<R>() == R(launched.r) &&
                        args.filter.template extent<S>() == S(launched.s) &&
                        args.bias.template extent<K>() == K(launched.bias ? launched.c : 0);
    if (!agrees) {
        refuse_launch(compiled_problem,
                      "the tensors have other sizes: input " + sizes_text<N, H, W, C>(args.input) +
                          ", output " + sizes_text<N, P, Q, K>(args.output) + ", the filter " +
                          sizes_text<K, R, S>(args.filter) + ", the bias " +
                          sizes_text<K>(args.bias) +
                          needed_text(needed_problem(compiled_problem, launched)));
    }
    check_type<T>(compiled_problem, "input, filter and output");
    check_address(launched, "the input", args.input.get());
    check_address(launched, "the filter", args.filter.get());
    check_address(launched, "the output", args.output.get());
    if (launched.bias) check_address(launched, "the bias", args.bias.get());
    return launched;
}

template <class T>
problem problem_of(problem const& compiled_problem, correlation_args<T> const& args,
                   epilogue_args<T> const& epilogue) {
    problem const launched = problem_of(compiled_problem, args);
    if (launched.scale) {
        if (epilogue.scale.template extent<K>() != K(launched.c)) {
            refuse_launch(launched, "the scale has other sizes: " + sizes_text<K>(epilogue.scale) +
                                        "; it must have " + sizes_text({launched.c}));
        }
        check_address(launched, "the scale", epilogue.scale.get());
    }
    if (launched.residual) {
        check_like<N, P, Q, K>(launched, "the residual", epilogue.residual, args.output);
    }
    if (launched.preactivation) {
        check_like<N, P, Q, K>(launched, "the preactivation", epilogue.preactivation, args.output);
    }
    if (launched.has_derivative()) {
        check_like<N, H, W, C>(launched, "the input's preactivation", epilogue.input_preactivation,
                               args.input);
    }
    return launched;
}
template problem problem_of(problem const&, correlation_args<half> const&,
                            epilogue_args<half> const&);
template problem problem_of(problem const&, correlation_args<bfloat16> const&,
                            epilogue_args<bfloat16> const&);
template problem problem_of(problem const&, correlation_args<half> const&);
template problem problem_of(problem const&, correlation_args<bfloat16> const&);
template problem problem_of(problem const&, correlation_args<element_bits> const&);

template <class Gradient, class T>
problem problem_of(problem const& compiled_problem, wgrad_args<Gradient, T> const& args) {
    problem const launched =
        launched_problem(compiled_problem, {.n = args.x.template extent<N>().get(),
                                            .h = args.x.template extent<H>().get(),
                                            .w = args.x.template extent<W>().get(),
                                            .p = args.dy.template extent<P>().get(),
                                            .q = args.dy.template extent<Q>().get(),
                                            .c = args.x.template extent<C>().get()});
    bool const agrees =
        allows(compiled_problem, launched) && args.x.template extent<C>() == C(launched.c) &&
        args.dy.extents() ==
            make_coordinates(N(launched.n), P(launched.p()), Q(launched.q()), K(launched.c)) &&
        args.dw.extents() ==
            make_coordinates(K(launched.c), R(launched.r), S(launched.s), C(group_width)) &&
        args.dbias.template extent<K>() == K(launched.bias ? launched.c : 0);
    if (!agrees) {
        refuse_launch(compiled_problem,
                      "the tensors have other sizes: x " + sizes_text<N, H, W, C>(args.x) +
                          ", dy " + sizes_text<N, P, Q, K>(args.dy) + ", dw " +
                          sizes_text<K, R, S>(args.dw) + ", dbias " + sizes_text<K>(args.dbias) +
                          needed_text_of_gradient(needed_problem(compiled_problem, launched)));
    }
    check_type<T>(compiled_problem, "x and dy");
    constexpr auto actual = precision_of_elements<Gradient>;
    if (actual != compiled_problem.gradient) {
        refuse_launch(compiled_problem, "dw is of " + enumerator_name(actual) +
                                            ", but the kernel makes " +
                                            enumerator_name(compiled_problem.gradient));
    }
    check_address(launched, "x", args.x.get());
    check_address(launched, "dy", args.dy.get());
    check_address(launched, "dw", args.dw.get());
    // A workspace without floats has no address.
    if (args.workspace.template extent<FLOAT>() > FLOAT(0)) {
        check_address(launched, "the workspace", args.workspace.get());
    }
    if (launched.bias) check_address(launched, "dbias", args.dbias.get());
    return launched;
}
template problem problem_of(problem const&, wgrad_args<float> const&);
template problem problem_of(problem const&, wgrad_args<half> const&);
template problem problem_of(problem const&, wgrad_args<float, bfloat16> const&);
template problem problem_of(problem const&, wgrad_args<bfloat16, bfloat16> const&);

} // namespace spio::conv2d
