// Writes the kernels of some layers as texts, with all that it takes to launch them.
// SPDX-License-Identifier: Apache-2.0
//
//     conv2d_export LAYERS OUT [--most N] [--pass fprop|dgrad|wgrad]... [--arch ARCH]... [--batches
//     N...]
//
// LAYERS has a problem a line, without its pass, and may tell configurations of it after colons:
//     n=32 c=64 h=64 w=64 : tma groups=8 images=1 columns=32 rows=8 strips=1 blocks=4
// OUT gets SYMBOL.cu for each kernel, and kernels.json: for those configurations, or for the N that
// are estimated to be best, or for the best one, what was asked and how its kernels are launched,
// one after the other. Where parameters hold a pointer, the JSON says which.
#include "conv2d/cp_async.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_reduce.h"
#include "conv2d/wgrad_tma.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

import spio.conv2d;
import spio.spec;

namespace fs = std::filesystem;
using namespace spio;
using namespace spio::conv2d;

namespace {

// Stand for the pointers of a launch: found in the bytes of parameters, and replaced there.
std::map<std::string, std::uint64_t> const stand_ins = {
    {"input", 0x7fa1'c0de'0000'0100}, {"filter", 0x7fa2'c0de'0000'0200},
    {"bias", 0x7fa3'c0de'0000'0300},  {"output", 0x7fa4'c0de'0000'0400},
    {"dy", 0x7fa5'c0de'0000'0500},    {"dw", 0x7fa6'c0de'0000'0600},
    {"dbias", 0x7fa7'c0de'0000'0700}, {"workspace", 0x7fa8'c0de'0000'0800}};
template <class T> T* stand_in(char const* name) {
    return reinterpret_cast<T*>(stand_ins.at(name));
}

correlation_args arguments_of(problem const& of) {
    correlation const correlation = correlation_of(of);
    return {.input = input_tensor(stand_in<half const>("input"), N(of.n), H(correlation.h),
                                  W(correlation.w), C(of.c)),
            .filter =
                filter_of<half const>(stand_in<half const>("filter"), K(of.c), R(of.r), S(of.s)),
            .bias = bias_of<float const>(of.bias ? stand_in<float const>("bias") : nullptr,
                                         K(of.bias ? of.c : 0)),
            .output = output_tensor(stand_in<half>("output"), N(of.n), P(correlation.p),
                                    Q(correlation.q), K(of.c))};
}
cp_async::params params_of(problem const& of, cp_async::config const&) {
    return {arguments_of(of)};
}
tma::params params_of(problem const& of, tma::config const&) {
    return {.input = {}, .output = {}, .args = arguments_of(of)};
}
wgrad_cp_async::params params_of(problem const& of, wgrad_cp_async::config const&) {
    return {.x = stand_in<half const>("input"),
            .dy = stand_in<half const>("dy"),
            .workspace = stand_in<vec<float, 4>>("workspace"),
            .n = of.n,
            .h = of.h,
            .w = of.w};
}
wgrad_tma::params params_of(problem const& of, wgrad_tma::config const&) {
    return {.x = {},
            .dy = {},
            .workspace = stand_in<vec<float, 4>>("workspace"),
            .n = of.n,
            .h = of.h,
            .w = of.w};
}
wgrad_reduce::params params_of_sum(problem const& of) {
    return {.workspace = stand_in<vec<float, 4> const>("workspace"),
            .dw = stand_in<void>("dw"),
            .dbias = of.bias ? stand_in<float>("dbias") : nullptr};
}

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }
std::string listed(extent const& e) {
    return "[" + std::to_string(e.x) + ", " + std::to_string(e.y) + ", " + std::to_string(e.z) +
           "]";
}

// The bytes, and where each pointer is among them.
std::string params_in_json(std::span<unsigned char const> bytes) {
    std::string text = "\"params\": \"", pointers;
    for (auto const byte : bytes) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        text += digits;
    }
    for (auto const& [name, value] : stand_ins) {
        for (std::size_t at = 0; at + sizeof value <= bytes.size(); at += sizeof value) {
            if (std::memcmp(&bytes[at], &value, sizeof value) != 0) continue;
            pointers +=
                (pointers.empty() ? "" : ", ") + in_quotes(name) + ": " + std::to_string(at);
        }
    }
    return text + "\", \"pointers\": {" + pointers + "}";
}

template <class T> std::string first_of(T const (&numbers)[5], int count) {
    std::string text;
    for (int n = 0; n < count; ++n) text += (n == 0 ? "" : ", ") + std::to_string(numbers[n]);
    return "[" + text + "]";
}
// A map that is to be encoded for a launch, and where among the parameters.
std::string map_in_json(std::size_t at, char const* of, tensor_map_plan const& plan) {
    return "{\"at\": " + std::to_string(at) + ", \"of\": " + in_quotes(of) +
           ", \"sizes\": " + first_of(plan.sizes, plan.rank) +
           ", \"strides\": " + first_of(plan.strides, plan.rank) +
           ", \"box\": " + first_of(plan.box, plan.rank) +
           ", \"swizzle\": " + std::to_string(plan.swizzle) +
           ", \"fetched\": " + std::to_string(plan.fetched) + "}";
}
std::string maps_in_json(problem const&, cp_async::config const&) { return ""; }
std::string maps_in_json(problem const&, wgrad_cp_async::config const&) { return ""; }
std::string maps_in_json(problem const& of, tma::config const& by) {
    return map_in_json(offsetof(tma::params, input), "input", tma::input_plan(of, by)) + ", " +
           map_in_json(offsetof(tma::params, output), "output", tma::output_plan(of, by));
}
std::string maps_in_json(problem const& of, wgrad_tma::config const& by) {
    return map_in_json(offsetof(wgrad_tma::params, x), "input", wgrad_tma::x_plan(of, by)) + ", " +
           map_in_json(offsetof(wgrad_tma::params, dy), "dy", wgrad_tma::dy_plan(of, by));
}

struct request {
    fs::path layers, out;
    std::size_t most = 1;
    std::vector<std::string> passes;
    std::vector<spio::arch> archs;
    std::vector<int> batches;
};

class kernels {
  public:
    explicit kernels(request const& r) : asked(r) { fs::create_directories(r.out); }

    void add(problem const& of, spio::arch arch, std::vector<config> all) {
        bool is_chosen = true;
        if (all.empty()) all = space(of, arch);
        for (auto const& by : all | std::views::take(asked.most)) {
            std::visit([&](auto const& c) { add(of, c, arch, is_chosen); }, by);
            is_chosen = false;
        }
    }
    void write() const {
        std::ofstream file(asked.out / "kernels.json");
        file << "[\n" << text << "\n]\n";
        if (!file.flush()) throw std::runtime_error("kernels.json cannot be written");
        std::printf("%zu kernels, %zu launches\n", symbols.size(), launches);
    }

  private:
    request const& asked;
    std::set<std::string> symbols;
    std::string text;
    std::size_t launches = 0;

    // A launch, in JSON; its text goes to a file.
    template <class Params>
    std::string launch_of(typed_spec<Params> const& of, Params const& params,
                          std::string const& maps) {
        static_assert(std::is_trivially_copyable_v<Params>);
        unsigned char bytes[sizeof params];
        std::memcpy(bytes, &params, sizeof params);
        if (symbols.insert(of.symbol).second) {
            std::ofstream(asked.out / (of.symbol + ".cu")) << of.source;
        }
        ++launches;
        return "{\"symbol\": " + in_quotes(of.symbol) + ", \"grid\": " + listed(of.grid(params)) +
               ", \"block\": " + listed(of.shape.block) +
               ", \"shared_bytes\": " + std::to_string(of.shape.shared_bytes) +
               ", \"overlaps\": " + (of.shape.overlaps_previous ? "true" : "false") + ", " +
               params_in_json(bytes) + ", \"maps\": [" + maps + "]}";
    }
    template <class Config>
    void add(problem const& of, Config const& by, spio::arch arch, bool is_chosen) {
        std::string all;
        long long workspace_bytes = 0;
        auto const params = params_of(of, by);
        if constexpr (requires { specialize(of, by, arch); }) {
            all = launch_of(specialize(of, by, arch), params, maps_in_json(of, by));
        } else {
            auto const both = specialize_gradient(of, by, arch);
            workspace_bytes = both.workspace_bytes;
            all = launch_of(both.partial_sums, params, maps_in_json(of, by)) + ", " +
                  launch_of(both.reduction, params_of_sum(of), "");
        }
        auto const expected = explain(of, by, arch);
        text += (text.empty() ? "" : ",\n") + std::string("{\"problem\": ") +
                in_quotes(text_of(of)) + ", \"pass\": " + in_quotes(enumerator_name(of.pass)) +
                ", \"config\": " + in_quotes(config_text(by)) +
                ", \"chosen\": " + (is_chosen ? "true" : "false") +
                ", \"arch\": " + in_quotes(text_of(arch));
        auto const floats = workspace_bytes / static_cast<long long>(sizeof(float));
        std::pair<char const*, long long> const numbers[] = {
            {"n", of.n},         {"c", of.c},       {"h", of.h},
            {"w", of.w},         {"p", of.p()},     {"q", of.q()},
            {"r", of.r},         {"s", of.s},       {"pad_h", of.pad_h},
            {"pad_w", of.pad_w}, {"bias", of.bias}, {"workspace_floats", floats}};
        for (auto const& [name, value] : numbers) {
            text += ", " + in_quotes(name) + ": " + std::to_string(value);
        }
        text += ", \"estimate\": " + std::to_string(expected.microseconds) +
                ", \"explained\": " + in_quotes(expected.explained()) + ", \"kernels\": [" + all +
                "]}";
    }
};

// What a line of LAYERS says.
struct layer {
    std::string problem;
    std::vector<config> by;

    explicit layer(std::string_view line) : problem(line.substr(0, line.find(':'))) {
        while (line.find(':') != line.npos) {
            line.remove_prefix(line.find(':') + 1);
            by.push_back(parse_config(line.substr(0, line.find(':'))));
        }
    }
};

request parse(std::vector<std::string> const& words) {
    request r;
    std::vector<std::string> places;
    std::string flag;
    for (auto const& word : words) {
        if (word.starts_with("--")) {
            flag = word;
        } else if (flag == "--pass") {
            r.passes.push_back(word);
        } else if (flag == "--arch") {
            r.archs.push_back(spio::parse_arch(word));
        } else if (flag == "--most") {
            r.most = std::stoul(word);
        } else if (flag == "--batches") {
            r.batches.push_back(std::stoi(word));
        } else {
            places.push_back(word);
        }
    }
    if (places.size() != 2) throw std::runtime_error("tell a file of layers and a folder");
    r.layers = places[0];
    r.out = places[1];
    if (r.passes.empty()) r.passes = {"fprop", "dgrad", "wgrad"};
    if (r.archs.empty()) r.archs = {spio::compute_80};
    return r;
}

void run(request const& r) {
    kernels all(r);
    std::ifstream layers(r.layers);
    for (std::string line; std::getline(layers, line);) {
        if (line.empty() || line.front() == '#') continue;
        layer const asked(line);
        for (auto const& pass : r.passes) {
            auto of = spio::parse<problem>("conv2d", asked.problem + " pass=" + pass);
            if (of.pass == direction::dgrad) of.bias = false;
            auto batches = r.batches;
            if (batches.empty()) batches.push_back(of.n);
            for (int const n : batches) {
                for (auto const arch : r.archs) {
                    all.add(of.with(n, of.h, of.w), arch, asked.by);
                }
            }
        }
    }
    all.write();
}

} // namespace

int main(int count, char** words) {
    try {
        run(parse({words + 1, words + count}));
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
