// Models that were trained on a machine choose its configurations, if they are of this library.
// SPDX-License-Identifier: Apache-2.0
//
// A learned model predicts the times of configurations from features; it is a table of trees. A
// local model is one that this machine has trained, for a chip for which the library has none. A
// family is the kernels of one operation. fprop and dgrad, the forward pass and the gradient of the
// input, are correlations and share a model.
#include <doctest/doctest.h>

#include "conv2d/problem.h"
#include "conv2d/tma.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

import spio.conv2d;
import spio.model;
import spio.spec;

using namespace spio;

namespace {

// A table with the features of the library and one tree, which is a leaf: the model predicts the
// same time for all configurations, so that the order of the estimates decides. The bits after a
// feature are its least and its greatest value: all floats, so that no problem is out of range, or
// 0 for a feature that had no other value in training.
std::string table(std::string const& more_features = "", std::string_view constant = "") {
    std::string text = "spio-model 3\nname conv2d correlation\nchip A100\nsource a test\n";
    for (auto const name : conv2d::feature_names()) {
        std::string const range = name == constant ? "00000000 00000000" : "ff7fffff 7f7fffff";
        text += "feature " + std::string(name) + " " + range + "\n";
    }
    return text + more_features + "tree u00\n";
}

} // namespace

TEST_CASE("a model of this machine chooses where the library has none, at once and in its order") {
    auto const problem = parse<conv2d::problem>("conv2d", "n=32 c=64 h=56 w=56");
    auto const first = conv2d::choose(problem, sm_86);
    CHECK(first.origin == config_origin::family);
    CHECK(!conv2d::has_model(sm_86));
    // A table of another version of the library does not count.
    auto const count = model::local_count();
    model::add_local(table("feature another 00000000 3f800000\n"), "a test", "sm_86");
    CHECK(model::local_count() == count + 1);
    CHECK(conv2d::choose(problem, sm_86).origin == config_origin::family);
    CHECK(!conv2d::has_model(sm_86));
    model::add_local(table(), "a test", "sm_86");
    model::add_local(table(), "a test", "sm_86"); // is there already
    CHECK(model::local_count() == count + 2);
    CHECK(conv2d::has_model(sm_86));
    CHECK(conv2d::choose(problem, sm_86).origin == config_origin::model);
    CHECK(conv2d::choose(problem, sm_80).origin == config_origin::family);
    // wgrad has another model.
    auto gradient = problem;
    gradient.pass = conv2d::direction::wgrad;
    CHECK(conv2d::choose(gradient, sm_86).origin == config_origin::family);
    CHECK(model::find_local("conv2d correlation", "sm_86") != nullptr);
    CHECK(model::find_local("conv2d correlation", "sm_89") == nullptr);
}

TEST_CASE("a model of this machine chooses kernels that copy rows if it was trained with them") {
    // The estimate of one group prefers rows: the TMA engine takes long for boxes of such pixels.
    auto const problem = parse<conv2d::problem>("conv2d", "n=256 c=8 h=56 w=56");
    auto const choice = [&] {
        auto const found = conv2d::choose(problem, sm_90a);
        CHECK(found.origin == config_origin::model);
        return std::get<conv2d::tma::config>(found.config);
    };
    auto const ranks_rows = [&] {
        return std::ranges::any_of(conv2d::rank(problem, sm_90a).configs, [](auto const& ranked) {
            auto const* const tma = std::get_if<conv2d::tma::config>(&ranked.config);
            return tma != nullptr && tma->whole_rows;
        });
    };
    model::add_local(table("", "copies_rows"), "a test", "sm_90a");
    CHECK(conv2d::choose(problem, sm_90a).origin == config_origin::model);
    CHECK(!ranks_rows());
    model::add_local(table(), "a test", "sm_90a");
    CHECK(choice().whole_rows);
    CHECK(ranks_rows());
}
