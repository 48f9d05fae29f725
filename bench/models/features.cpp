// Writes the features of measured configurations, by the code of the library.
// SPDX-License-Identifier: Apache-2.0
//
// A sweep is a file of measured times.
//
//     models_features FAMILY TIMES OUT
//     models_features --predict TABLE FLOATS VALUES
//     models_features --choose TIMES OUT
//     models_features --likely PLAN ARCH OUT
//
// FAMILY, the kernels of one operation, is conv2d or matmul. The second form writes the value that
// a model has for each row of FLOATS. TIMES is what a sweep of the family wrote. OUT.rows has a
// line for each configuration: the number of its layer, its microseconds, those of the estimate,
// and whether the family chooses it without a model. OUT.floats has its features, as floats.
// OUT.layers has the problems, OUT.names the features. The third form writes what the library
// chooses for each problem of a sweep of conv2d, and the other candidates of its model. The fourth
// form writes OUT.rows and OUT.floats for the candidates of a model for the layers of a plan, which
// were not measured.
#include "../input.h"
#include "matmul/cp_async.h"
#include "matmul/wgmma.h"
#include "plan.h"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

import spio.conv2d;
import spio.matmul;
import spio.model;
import spio.spec;

namespace {

using namespace spio;

// What differs between the two families, under the same names.
struct convolutions {
    using problem = conv2d::problem;
    static constexpr auto name = "conv2d";
    static auto feature_names() { return conv2d::feature_names(); }
    static auto features_of(problem const& problem, conv2d::config const& config,
                            conv2d::estimate const& expected, arch arch) {
        return conv2d::features_of(problem, {config, expected}, arch);
    }
    static auto parse_config(std::string const& text) { return conv2d::parse_config(text); }
    // What is chosen without a model, as text; empty where there is nothing to choose.
    static std::string choice_of_family(problem const& problem, arch arch) {
        auto const chosen = family_choice(problem, arch);
        return chosen ? conv2d::config_text(*chosen) : "";
    }
};
struct products {
    using problem = matmul::problem;
    static constexpr auto name = "matmul";
    static auto feature_names() { return matmul::feature_names(); }
    static auto features_of(problem const& problem, matmul::config const& config,
                            matmul::estimate const& expected, arch arch) {
        return matmul::features_of(problem, std::get<matmul::wgmma::config>(config), expected,
                                   arch);
    }
    static auto parse_config(std::string const& text) { return matmul::parse_config(text); }
    static std::string choice_of_family(problem const& problem, arch arch) {
        auto const configs = space(problem, arch);
        return configs.empty() ? "" : matmul::config_text(configs.front());
    }
};

// The architecture in the line about a sweep: "# device 0, NVIDIA H200 | sm_90a | …".
std::optional<arch> arch_in(std::string const& line) {
    std::string const separator = " | ";
    auto const first = line.find(separator);
    if (first == line.npos) return {};
    auto const name = line.substr(first + separator.size());
    return find_arch(name.substr(0, name.find(separator)));
}

// Functions of a family that take its problem are found by the namespace of that.
template <class Family>
void write_features(std::string const& times, std::string const& out, arch arch) {
    auto input = bench::open_input(times);
    std::ofstream rows(out + ".rows"), floats(out + ".floats", std::ios::binary);
    std::ofstream layers(out + ".layers"), names(out + ".names");
    for (auto const name : Family::feature_names()) names << name << '\n';
    typename Family::problem layer = {};
    std::string chosen;
    std::size_t layer_count = 0;
    for (std::string line; std::getline(input, line);) {
        if (line.starts_with("# ")) arch = arch_in(line).value_or(arch);
        if (line.empty() || line.front() == '#') continue;
        if (line.starts_with("problem ")) {
            layer = parse<typename Family::problem>(Family::name, line.substr(8));
            chosen = Family::choice_of_family(layer, arch);
            layers << line.substr(8) << '\n';
            ++layer_count;
            continue;
        }
        auto const end = line.find(" | ");
        double first = 0, repeated = 0;
        if (layer_count == 0 || end == line.npos ||
            std::sscanf(line.c_str() + end, " | %lf | %lf", &first, &repeated) != 2) {
            throw std::runtime_error("no time: " + line);
        }
        auto const config = Family::parse_config(line.substr(0, end));
        auto const expected = explain(layer, config, arch);
        auto const values = Family::features_of(layer, config, expected, arch);
        floats.write(reinterpret_cast<char const*>(values.data()), sizeof values);
        rows << layer_count - 1 << ' ' << (repeated > 0 ? repeated : first) << ' '
             << expected.microseconds << ' ' << (line.substr(0, end) == chosen) << '\n';
    }
    for (auto* const file : {&rows, &floats, &layers, &names}) {
        if (!file->flush()) throw std::runtime_error(out + ".* cannot be written");
    }
}

// The bytes of a file.
std::string read(std::string const& file) {
    auto input = bench::open_input(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(input), {});
}

// Writes the value of each row of floats in a file, as the trees of a table give it.
void predict(std::string const& table, std::string const& floats, std::string const& out) {
    auto const model = model::forest::parse(read(table), table);
    auto const bytes = read(floats);
    auto const* const first = reinterpret_cast<float const*>(bytes.data());
    std::vector<float> const rows(first, first + bytes.size() / sizeof(float));
    std::vector<float> values(rows.size() / model.features().size());
    model.predict(rows, values);
    std::ofstream file(out, std::ios::binary);
    file.write(reinterpret_cast<char const*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
    if (!file.flush()) throw std::runtime_error(out + " cannot be written");
}

// Writes a line for each problem of a sweep, and after it a line for each candidate of the model:
// the one that is chosen comes first.
void write_choices(std::string const& times, std::string const& out) {
    auto input = bench::open_input(times);
    std::ofstream file(out);
    for (std::string line; std::getline(input, line);) {
        if (!line.starts_with("problem ")) continue;
        auto const layer = parse<conv2d::problem>(convolutions::name, line.substr(8));
        file << line << '\n' << conv2d::config_text(choose(layer, spio::sm_90a).config) << '\n';
        for (auto const& each : rank(layer, spio::sm_90a).configs) {
            file << conv2d::config_text(each.config) << '\n';
        }
    }
    if (!file.flush()) throw std::runtime_error(out + " cannot be written");
}

// Writes the features of what a model would choose among for each layer of a plan, whose times are
// 0.
void write_likely(std::string const& plan, arch arch, std::string const& out) {
    std::ofstream rows(out + ".rows"), floats(out + ".floats", std::ios::binary);
    std::size_t layer_count = 0;
    for (auto const& group : bench::read_plan(plan)) {
        for (auto const& layer : group.layers) {
            for (auto const& candidate : conv2d::likely_candidates(layer, arch)) {
                auto const values = conv2d::features_of(layer, candidate, arch);
                floats.write(reinterpret_cast<char const*>(values.data()), sizeof values);
                rows << layer_count << " 0 " << candidate.expected.microseconds << " 0\n";
            }
            ++layer_count;
        }
    }
    if (!rows.flush() || !floats.flush()) throw std::runtime_error(out + ".* cannot be written");
}

} // namespace

int main(int count, char** words) {
    try {
        if (count == 5 && words[1] == std::string_view("--predict")) {
            predict(words[2], words[3], words[4]);
        } else if (count == 4 && words[1] == std::string_view("--choose")) {
            write_choices(words[2], words[3]);
        } else if (count == 5 && words[1] == std::string_view("--likely")) {
            auto const arch = find_arch(words[3]);
            if (!arch) throw std::runtime_error(std::string(words[3]) + " is no architecture");
            write_likely(words[2], *arch, words[4]);
        } else if (count == 4 && words[1] == std::string_view("conv2d")) {
            write_features<convolutions>(words[2], words[3], spio::sm_90a);
        } else if (count == 4 && words[1] == std::string_view("matmul")) {
            write_features<products>(words[2], words[3], spio::sm_90a);
        } else {
            throw std::runtime_error(
                "the words must be FAMILY TIMES OUT, --predict TABLE FLOATS VALUES, --choose TIMES "
                "OUT or --likely PLAN ARCH OUT");
        }
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
