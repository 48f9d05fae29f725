// Writes the source texts of the kernels of some layers, with all that it takes to launch them.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from. fprop is the forward pass, dgrad computes the gradient
// of the input, wgrad that of the filter.
//
//     conv2d_export LAYERS OUT [--most N] [--pass PASS]... [--arch ARCH]... [--batches N...]
//
// LAYERS has a problem per line, without its pass; after colons, configurations may follow:
//     n=32 c=64 h=64 w=64 : tma groups=8 images=1 columns=32 rows=8 tiles_per_block=1 blocks=4
// OUT gets SYMBOL.cu for each kernel, nvcc_options for compiling them, and kernels.json: the
// problem and the launches of its kernels, in order, for those configurations, or else for the N
// that are estimated to be best (by default one). The JSON says where the parameters hold which
// pointer.
#include "../input.h"
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
#include <nlohmann/json.hpp>
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
import spio.system;

using json = nlohmann::ordered_json;
#include "launch_parameters.h"

namespace fs = std::filesystem;
using namespace spio;
using namespace spio::conv2d;

namespace {

// The three numbers as a list.
json listed(extent const& size) { return {size.x, size.y, size.z}; }

// The bytes of parameters in hexadecimal digits.
std::string digits_of(std::span<unsigned char const> bytes) {
    std::string text;
    for (auto const byte : bytes) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        text += digits;
    }
    return text;
}
// The names of the tensors whose pointers are among the bytes, with their offsets. The first
// counts: padding at the end of parameters may have old ones.
json pointers_in(std::span<unsigned char const> bytes) {
    auto pointers = json::object();
    for (auto const& [name, value] : stand_ins) {
        for (std::size_t offset = 0; offset + sizeof value <= bytes.size();
             offset += sizeof value) {
            bool const is_found = std::memcmp(&bytes[offset], &value, sizeof value) == 0;
            if (is_found && !pointers.contains(name)) pointers[name] = offset;
        }
    }
    return pointers;
}

// What the command line asks for: at most `most` configurations of each problem, and so on.
struct request {
    fs::path layers, out;
    std::size_t most = 1;
    std::vector<std::string> passes;
    std::vector<spio::arch> archs;
    std::vector<int> batches;
};

// Describes the kernels of problems, and writes their texts.
class kernels {
  public:
    explicit kernels(request const& wanted) : asked(wanted) { fs::create_directories(wanted.out); }
    // Adds these configurations of a problem; if there are none, those estimated to be best. The
    // first counts as chosen.
    void add(problem const& problem, spio::arch arch, std::vector<config> configs) {
        bool is_chosen = true;
        if (configs.empty()) {
            configs =
                asked.most == 1 ? std::vector{best_config(problem, arch)} : space(problem, arch);
        }
        for (auto const& config : configs | std::views::take(asked.most)) {
            std::visit([&](auto const& c) { add(problem, c, arch, is_chosen); }, config);
            is_chosen = false;
        }
    }
    void write() const {
        std::ofstream options(asked.out / "nvcc_options");
        for (auto const& option : compiler_options(compiler_kind::nvcc, "")) {
            if (!option.starts_with("-arch")) options << option << '\n';
        }
        std::ofstream list(asked.out / "kernels.json");
        list << exported.dump(1) << '\n';
        if (!options.flush() || !list.flush()) {
            throw std::runtime_error("kernels.json and nvcc_options cannot be written");
        }
        std::printf("%zu kernels, %zu launches\n", symbols.size(), launches);
    }

  private:
    request const& asked;
    std::set<std::string> symbols;
    json exported = json::array();
    std::size_t launches = 0;

    // Describes a launch, and writes the text of its kernel to a file.
    template <class Params>
    json launch_of(typed_spec<Params> const& spec, Params const& params, json const& maps) {
        static_assert(std::is_trivially_copyable_v<Params>);
        unsigned char bytes[sizeof params];
        std::memcpy(bytes, &params, sizeof params);
        if (symbols.insert(spec.symbol).second) {
            std::ofstream(asked.out / (spec.symbol + ".cu")) << spec.source;
        }
        ++launches;
        return {{"symbol", spec.symbol},
                {"grid", listed(spec.grid(params))},
                {"block", listed(spec.shape.block)},
                {"cluster", listed(spec.shape.cluster)},
                {"shared_bytes", spec.shape.shared_bytes},
                {"overlaps", spec.shape.overlaps_previous},
                {"params", digits_of(bytes)},
                {"pointers", pointers_in(bytes)},
                {"maps", maps}};
    }
    // Adds the kernels of one configuration: one, or for wgrad those of partial sums and their sum.
    template <class Config>
    void add(problem const& p, Config const& c, spio::arch arch, bool is_chosen) {
        auto kernels = json::array();
        long long workspace_bytes = 0;
        auto const params = params_of(p, c);
        if constexpr (requires { specialize(p, c, arch); }) {
            kernels.push_back(launch_of(specialize(p, c, arch), params, maps_of(p, c)));
        } else {
            auto const specs = specialize_gradient(p, c, arch);
            workspace_bytes = specs.workspace_bytes;
            kernels.push_back(launch_of(specs.partial_sums, params, maps_of(p, c)));
            for (auto const& reduction : specs.reduction) {
                kernels.push_back(launch_of(reduction, params_of_sum(p), json::array()));
            }
        }
        auto const expected = explain(p, c, arch);
        json entry = {{"problem", text_of(p)},
                      {"config", config_text(c)},
                      {"chosen", is_chosen},
                      {"workspace_floats", workspace_bytes / static_cast<int>(sizeof(float))},
                      {"estimate", expected.microseconds},
                      {"explained", expected.explained()},
                      {"kernels", kernels}};
        auto problem = p;
        for (auto const& slot : slots_of(problem)) {
            if (slot.integer != nullptr) entry[slot.name] = *slot.integer;
            if (slot.boolean != nullptr) entry[slot.name] = *slot.boolean;
            if (slot.enumeration != nullptr) {
                entry[slot.name] = slot.enumerators[slot.number(slot.enumeration)];
            }
        }
        entry.update({{"p", p.p()}, {"q", p.q()}});
        exported.push_back(entry);
    }
};

// A line of LAYERS.
struct layer {
    std::string problem;
    std::vector<config> configs;

    explicit layer(std::string_view line) : problem(line.substr(0, line.find(':'))) {
        while (line.find(':') != line.npos) {
            line.remove_prefix(line.find(':') + 1);
            configs.push_back(parse_config(line.substr(0, line.find(':'))));
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
    if (places.size() != 2) throw std::runtime_error("name a file of layers and a folder");
    r.layers = places[0];
    r.out = places[1];
    if (r.passes.empty()) r.passes = {"fprop", "dgrad", "wgrad"};
    if (r.archs.empty()) r.archs = {spio::compute_80};
    return r;
}

void run(request const& wanted) {
    auto layers = bench::open_input(wanted.layers);
    kernels exported(wanted);
    for (std::string line; std::getline(layers, line);) {
        if (line.empty() || line.front() == '#') continue;
        layer const asked(line);
        for (auto const& pass : wanted.passes) {
            auto base = spio::parse<problem>("conv2d", asked.problem + " pass=" + pass);
            if (base.pass != direction::fprop)
                base.scale = base.residual = base.preactivation = false;
            if (base.pass == direction::dgrad) base.bias = false;
            if (base.pass == direction::wgrad) base.activation = activation::none;
            auto batches = wanted.batches;
            if (batches.empty()) batches.push_back(base.n);
            for (int const n : batches) {
                for (auto const arch : wanted.archs) {
                    exported.add(base.with(n, base.h, base.w), arch, asked.configs);
                }
            }
        }
    }
    exported.write();
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
