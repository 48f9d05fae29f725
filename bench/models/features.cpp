// Writes the features of measured configurations, by the code of the library.
// SPDX-License-Identifier: Apache-2.0
//
//     models_features TIMES OUT
//     models_features --predict TABLE FLOATS VALUES
//
// The second form writes the value that a model has for each row of FLOATS. TIMES is what
// models_sweep wrote. OUT.rows has a line for each configuration: the number of its layer, its
// microseconds, those of the estimate, and whether the family chooses it without a model.
// OUT.floats has its features, as floats. OUT.layers has the layers, OUT.names the features. A
// family is the kernels of one operation, here conv2d.
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

import spio.conv2d;
import spio.model;
import spio.spec;

namespace {

using namespace spio;

void write_features(std::string const& times, std::string const& out, arch arch) {
    std::ifstream input(times);
    std::ofstream rows(out + ".rows"), floats(out + ".floats", std::ios::binary);
    std::ofstream layers(out + ".layers"), names(out + ".names");
    for (auto const name : conv2d::feature_names()) names << name << '\n';
    conv2d::problem layer = {};
    std::string chosen;
    std::size_t layer_count = 0;
    for (std::string line; std::getline(input, line);) {
        if (line.empty() || line.front() == '#') continue;
        if (line.starts_with("problem ")) {
            layer = parse<conv2d::problem>("conv2d", line.substr(8));
            auto const configs = conv2d::space(layer, arch);
            chosen = configs.empty() ? "" : conv2d::config_text(configs.front());
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
        auto const config = conv2d::parse_config(line.substr(0, end));
        auto const expected = conv2d::explain(layer, config, arch);
        auto const values = conv2d::features_of(layer, {config, expected}, arch);
        floats.write(reinterpret_cast<char const*>(values.data()), sizeof values);
        rows << layer_count - 1 << ' ' << (repeated > 0 ? repeated : first) << ' '
             << expected.microseconds << ' ' << (line.substr(0, end) == chosen) << '\n';
    }
    for (auto* const file : {&rows, &floats, &layers, &names}) {
        if (!file->flush()) throw std::runtime_error(out + ".* cannot be written");
    }
}

std::string read(std::string const& file) {
    std::ifstream input(file, std::ios::binary);
    if (!input) throw std::runtime_error(file + " cannot be read");
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

} // namespace

int main(int count, char** words) {
    try {
        if (count == 5 && words[1] == std::string_view("--predict")) {
            predict(words[2], words[3], words[4]);
        } else if (count == 3) {
            write_features(words[1], words[2], spio::sm_90a);
        } else {
            throw std::runtime_error("tell TIMES and OUT, or --predict TABLE FLOATS VALUES");
        }
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
