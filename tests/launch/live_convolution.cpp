// Convolutions whose launches find the fastest configuration, and what is kept of it.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration is how blocks share a problem. With live_tuning, a runtime times several kernels
// of a problem in its first launches, takes the fastest, and writes it to the file of tuned
// configurations. `tiers` counts: compared, decided, recorded, unrecorded. The GPU, its clock and
// its compiler are fakes. fake::the_machine() has the state of the fake driver. A spec is what a
// kernel is compiled from.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include "conv2d/problem.h"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <sys/stat.h>

import spio.cache;
import spio.conv2d;
import spio.conv2d.launch;
import spio.cuda;
import spio.fake_driver;
import spio.fake_nvrtc;
import spio.jit;
import spio.launch;
import spio.model;
import spio.runtime;
import spio.spec;
import spio.tuned;

using namespace spio;
using conv2d::C;
using conv2d::H;
using conv2d::K;
using conv2d::N;
using conv2d::P;
using conv2d::Q;
using conv2d::R;
using conv2d::S;
using conv2d::W;

namespace {

// A fake GPU on which one kernel is faster than all others, and the file of tuned configurations.
struct rig {
    test::folder folder;
    std::filesystem::path file = std::filesystem::path(folder.path) / "tuned.txt";
    cuda::driver driver{fake::find};
    jit::nvrtc compiler{fake::nvrtc, "fake"};
    std::vector<std::string> launched;               // symbols of kernels
    std::string fastest;                             // takes half the time of others
    std::map<std::string, std::size_t> params_bytes; // of kernels, by their symbols
    std::map<std::string, conv2d::config> configs;   // of these kernels

    rig() {
        auto& machine = fake::the_machine();
        machine.expect({});
        machine.params_bytes = [this](std::string const& name) { return params_bytes.at(name); };
        machine.milliseconds_of_kernel = [this](std::string const& name) {
            launched.push_back(name);
            return name == fastest ? 0.5 : 1;
        };
    }
    // Tells the fake the kernels of a layer.
    void add(conv2d::problem const& layer, arch arch = sm_90a) {
        for (auto const& found : conv2d::candidates(layer, arch)) {
            for (auto const& spec : conv2d::specs_of(layer, found.config, arch)) {
                params_bytes.emplace(spec.symbol, spec.params_bytes);
                configs.emplace(spec.symbol, found.config);
            }
        }
    }
    ~rig() {
        fake::the_machine().params_bytes = nullptr;
        fake::the_machine().milliseconds_of_kernel = nullptr;
    }
    runtime_options options() const {
        cache::options cache;
        cache.folder = folder.path + "/cache";
        return {.policy = policy::aot_then_jit,
                .live_tuning = true,
                .tuned_file = file,
                .cache = cache,
                .driver = &driver,
                .compiler = &compiler};
    }
};

conv2d::problem layer_of(std::string const& more = "") {
    return parse<conv2d::problem>("conv2d", "n=64 c=128 h=56 w=56 made_for=any_n" + more);
}

// The tensors of a layer with so many images.
struct tensors {
    conv2d::problem layer;
    array<half> x, filter, y;

    tensors(runtime const& gpu, conv2d::problem const& problem)
        : layer(problem),
          x(gpu.target_device(), std::size_t(64) * 56 * 56 * 128, "x"),
          filter(gpu.target_device(), std::size_t(128) * problem.taps() * 8, "filter"),
          y(gpu.target_device(), x.size(), "y") {}
    void launch(conv2d::convolution const& kernel, stream const& stream, int n) const {
        kernel.launch(
            stream,
            {.input = x.as<conv2d::input_of<half const>>(N(n), H(56), W(56), C(128)),
             .filter = filter.as<conv2d::filter_of<half const>>(K(128), R(layer.r), S(layer.s)),
             .output = y.as<conv2d::output_of<half>>(N(n), P(56), Q(56), K(128))});
    }
};

// How many different kernels were launched.
std::size_t count_of(std::vector<std::string> const& symbols) {
    return std::set(symbols.begin(), symbols.end()).size();
}

} // namespace

TEST_CASE("the first launches of a convolution find its fastest configuration, and keep it") {
    rig rig;
    for (auto const* more : {" pass=fprop", " pass=dgrad", " r=7 s=7 pad_h=3 pad_w=3"}) {
        CAPTURE(more);
        std::filesystem::remove(rig.file);
        auto const layer = layer_of(more);
        rig.add(layer);
        std::ofstream(rig.file) << "# empty\n";
        auto const gpu = runtime(rig.options());
        stream const stream(gpu.target_device());
        tensors const data(gpu, layer);
        conv2d::convolution const kernel(gpu, layer);
        gpu.finish_compilations();
        rig.launched.clear();
        // Launches with other sizes are not compared.
        for (int i = 0; i < 40; ++i) data.launch(kernel, stream, /*n=*/63);
        REQUIRE(count_of(rig.launched) == 1);
        auto const first = rig.launched.front();
        CHECK(gpu.count_tiers().compared == 1);
        data.launch(kernel, stream, /*n=*/64);
        data.launch(kernel, stream, /*n=*/64);
        rig.fastest = rig.launched.back();
        REQUIRE(rig.fastest != first);
        for (int i = 0; i < 60; ++i) data.launch(kernel, stream, /*n=*/64);
        CHECK(count_of(rig.launched) >= 2);
        CHECK(count_of(rig.launched) <= 4);
        for (auto const& symbol : rig.launched) {
            CHECK(conv2d::have_same_order(layer, rig.configs.at(first), rig.configs.at(symbol)));
        }
        CHECK(rig.launched.back() == rig.fastest);
        gpu.finish_compilations();
        auto const count = gpu.count_tiers();
        CHECK(count.decided == 1);
        CHECK(count.recorded == 1);
        // It is in the file.
        auto const table = tuned::read(rig.file);
        REQUIRE(table.size() == 1);
        auto const& [key, choice] = *table.begin();
        CHECK(key.line == "conv2d " + spio::text_of(layer));
        CHECK(choice.microseconds == doctest::Approx(500));
        auto const config = conv2d::parse_config(choice.config);
        CHECK(conv2d::specs_of(layer, config, sm_90a).front().symbol == rig.fastest);
        // A second convolution, and another runtime, begin with it and compare nothing.
        rig.launched.clear();
        conv2d::convolution const second(gpu, layer);
        auto const later = runtime(rig.options());
        conv2d::convolution const third(later, layer);
        gpu.finish_compilations(), later.finish_compilations();
        for (int i = 0; i < 5; ++i) {
            data.launch(second, stream, /*n=*/64);
            conv2d::convolution const& other = third;
            tensors const own(later, layer);
            own.launch(other, spio::stream(later.target_device()), /*n=*/64);
        }
        CHECK(count_of(rig.launched) == 1);
        CHECK(rig.launched.front() == rig.fastest);
        CHECK(later.count_tiers().compared == 0);
        rig.fastest.clear();
    }
}

TEST_CASE("nothing is compared without live_tuning, without tier_up, and under aot_only") {
    rig rig;
    rig.add(layer_of());
    std::ofstream(rig.file) << "# empty\n";
    auto const compared = [&](runtime_options const& options) {
        auto const gpu = runtime(options);
        try {
            conv2d::convolution const kernel(gpu, layer_of());
            kernel.prepare();
        } catch (error const&) { // aot_only has no kernel
        }
        return gpu.count_tiers().compared;
    };
    CHECK(compared(rig.options()) == 1);
    auto options = rig.options();
    options.live_tuning = false;
    CHECK(compared(options) == 0);
    options = rig.options();
    options.tier_up = false;
    CHECK(compared(options) == 0);
    options = rig.options();
    options.policy = policy::aot_only;
    CHECK(compared(options) == 0);
    CHECK(!runtime_options().live_tuning);
}

// The test launch.live_tuning runs this case where SPIO_LIVE_TUNING is on.
TEST_CASE("live tuning is on if the environment says so") {
    auto const* const value = std::getenv("SPIO_LIVE_TUNING");
    CHECK(runtime_options().live_tuning == (value != nullptr && std::string(value) == "on"));
}

TEST_CASE("weight gradients are not compared: other configurations add in other orders") {
    rig rig;
    std::ofstream(rig.file) << "# empty\n";
    auto const layer = layer_of(" pass=wgrad");
    rig.add(layer);
    auto const gpu = runtime(rig.options());
    conv2d::weight_gradient const kernel(gpu, layer);
    kernel.prepare();
    gpu.finish_compilations();
    CHECK(gpu.count_tiers().compared == 0);
}

TEST_CASE("models that were trained on this machine are not read under aot_only") {
    rig rig;
    test::folder const caches;
    auto const folder = std::filesystem::path(caches.path) / "models";
    std::filesystem::create_directory(folder);
    auto const file = folder / "unused.txt";
    std::ofstream(file) << "spio-model 3\nname unused\nchip c\nsource device 0, "
                        << rig.driver.device(0).name()
                        << " | sm_90a | \nfeature f 00000000 00000000\ntree u00\n";
    REQUIRE(chmod(file.c_str(), 0600) == 0);
    setenv("SPIO_CACHE_DIR", caches.path.c_str(), 1);
    auto options = rig.options();
    options.tuned_file.clear();
    auto const count = model::local_count();
    // Models are read when a configuration is first asked for.
    for (auto const asked : {policy::aot_only, policy::aot_then_jit}) {
        options.policy = asked;
        auto const gpu = runtime(options);
        static_cast<void>(conv2d::best_config(layer_of(), sm_90a, gpu.configs()));
        CHECK(model::local_count() == count + (asked == policy::aot_then_jit ? 1 : 0));
    }
    unsetenv("SPIO_CACHE_DIR");
}

TEST_CASE("where the file cannot be written, the fastest configuration counts in this process") {
    rig rig;
    std::ofstream(rig.file) << "# empty\n";
    auto const layer = layer_of();
    rig.add(layer);
    auto const gpu = runtime(rig.options());
    // Others may write the file from now on: it is not trusted any more.
    REQUIRE(chmod(rig.file.c_str(), 0666) == 0);
    stream const stream(gpu.target_device());
    tensors const data(gpu, layer);
    conv2d::convolution const kernel(gpu, layer);
    gpu.finish_compilations();
    for (int i = 0; i < 2; ++i) data.launch(kernel, stream, /*n=*/64);
    rig.fastest = rig.launched.back();
    for (int i = 0; i < 60; ++i) data.launch(kernel, stream, /*n=*/64);
    gpu.finish_compilations();
    CHECK(gpu.count_tiers().decided == 1);
    CHECK(gpu.count_tiers().recorded == 0);
    CHECK(gpu.count_tiers().unrecorded == 1);
    CHECK(rig.launched.back() == rig.fastest);
    auto const chosen = conv2d::best_config(layer, sm_90a, gpu.configs());
    CHECK(conv2d::specs_of(layer, chosen, sm_90a).front().symbol == rig.fastest);
}

// The test launch.no_model runs this case with a log, and looks for the line. The fake GPU is an
// A100 here, of capability 8.0.
TEST_CASE("a chip without a learned model takes estimates, and says so once") {
    rig rig;
    fake::the_machine().major = 8;
    {
        auto const layer = layer_of();
        auto const config = conv2d::best_config(layer, sm_80);
        auto const spec = conv2d::specs_of(layer, config, sm_80).front();
        rig.params_bytes.emplace(spec.symbol, spec.params_bytes);
        auto options = rig.options();
        options.tuned_file.clear();
        options.live_tuning = false;
        auto const gpu = runtime(options);
        CHECK(gpu.arch() == sm_80);
        for (int i = 0; i < 2; ++i) conv2d::convolution const kernel(gpu, layer);
        CHECK(!conv2d::has_model(gpu.arch()));
    }
    fake::the_machine().major = 9;
}
