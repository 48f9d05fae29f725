// Every function that takes a problem or a configuration refuses each field that is out of range.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation. An error names the field and its bound, whichever
// function was called: none computes with what is out of range, and none chooses for it. fprop,
// dgrad and wgrad are the passes of a convolution; a body is one of its kernel templates.
#include <doctest/doctest.h>

#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

import spio.axpby;
import spio.conv2d;
import spio.layernorm_2d;
import spio.matmul;
import spio.spec;

using namespace spio;

namespace {

// The reason of the error that f throws, or "none".
std::string reason_of(std::function<void()> const& f) {
    try {
        f();
    } catch (error const& e) {
        CHECK(e.kind() == error_kind::invalid);
        return e.reason();
    }
    return "none";
}

int count = 0; // of calls that were refused

// Calls each function with each number field of a value below its least and above its greatest.
template <class T>
void expect_checked(T const& good, std::vector<std::function<void(T const&)>> const& functions) {
    auto value = good;
    for (auto& slot : slots_of(value)) {
        if (slot.integer == nullptr) continue;
        int const old = *slot.integer;
        std::vector<int> numbers = {slot.range.least - 1};
        if (slot.range.most < 2147483647) numbers.push_back(slot.range.most + 1);
        for (int const number : numbers) {
            *slot.integer = number;
            auto const start =
                std::string(slot.name) + " is " + std::to_string(number) + ", but must be ";
            for (std::size_t i = 0; i < functions.size(); ++i) {
                auto const reason = reason_of([&] { functions[i](value); });
                CAPTURE(start);
                CAPTURE(i);
                CAPTURE(reason);
                CHECK(reason.starts_with(start));
                ++count;
            }
            *slot.integer = old;
        }
    }
    for (auto const& each : functions) each(good);
}

} // namespace

TEST_CASE("problems and configurations are checked by whatever takes them") {
    expect_checked<axpby::problem>(
        {.n = 1000},
        {[](auto const& p) { axpby::specialize(p, sm_80); },
         [](auto const& p) { axpby::specialize(p, {.threads = 96, .vectors = 2}, sm_80); }});
    expect_checked<axpby::config>({.threads = 96, .vectors = 2}, {[](auto const& c) {
                                      axpby::specialize({.n = 1000}, c, sm_80);
                                  }});
    layernorm_2d::problem const norm = {.channels = 64};
    expect_checked<layernorm_2d::problem>(
        norm, {[](auto const& p) { layernorm_2d::specialize(p, sm_80); },
               [&](auto const& p) {
                   layernorm_2d::specialize(p, layernorm_2d::best_config(norm), sm_80);
               }});
    expect_checked<layernorm_2d::config>(layernorm_2d::best_config(norm), {[&](auto const& c) {
                                             layernorm_2d::specialize(norm, c, sm_80);
                                         }});

    matmul::problem const product = {.m = 256, .n = 256, .k = 64};
    auto const wgmma = matmul::space(product, sm_90a, matmul::body::wgmma).front();
    auto const cp_async = matmul::space(product, sm_80, matmul::body::cp_async).front();
    expect_checked<matmul::problem>(
        product,
        {[](auto const& p) { matmul::check(p); }, [](auto const& p) { matmul::space(p, sm_90a); },
         [](auto const& p) { matmul::space(p, sm_90a, matmul::body::cp_async); },
         [](auto const& p) { matmul::best_config(p, sm_90a); },
         [&](auto const& p) { matmul::explain(p, wgmma, sm_90a); },
         [&](auto const& p) { matmul::spec_of(p, wgmma, sm_90a); },
         [&](auto const& p) { matmul::spec_of(p, cp_async, sm_80); }});
    expect_checked<matmul::wgmma::config>(
        std::get<matmul::wgmma::config>(wgmma),
        {[&](auto const& c) { matmul::specialize(product, c, sm_90a); }});
    expect_checked<matmul::cp_async::config>(
        std::get<matmul::cp_async::config>(cp_async),
        {[&](auto const& c) { matmul::specialize(product, c, sm_80); }});

    for (auto const pass : {conv2d::direction::fprop, conv2d::direction::wgrad}) {
        conv2d::problem const layer = {.n = 4, .c = 64, .h = 16, .w = 16, .pass = pass};
        auto const config = conv2d::best_config(layer, sm_90a);
        expect_checked<conv2d::problem>(
            layer, {[](auto const& p) { conv2d::check(p); },
                    [](auto const& p) { conv2d::space(p, sm_90a); },
                    [](auto const& p) { conv2d::best_config(p, sm_90a); },
                    [](auto const& p) { conv2d::choose(p, sm_90a); },
                    [&](auto const& p) { conv2d::explain(p, config, sm_90a); },
                    [&](auto const& p) { conv2d::specs_of(p, config, sm_90a); }});
    }
    std::cout << "summary: spec.checks: " << count << " calls with a field out of range\n";
}
