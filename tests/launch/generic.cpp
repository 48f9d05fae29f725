// Convolutions that begin with generic kernels: which kernels run, and what is compiled meanwhile.
// SPDX-License-Identifier: Apache-2.0
//
// A generic kernel serves every layer with the same filter. A spec is what a kernel is compiled
// from, an image a compiled kernel, a pack a file of images. Tiering up: launches begin with a
// generic kernel, while the layer's own is compiled in the background, which then takes over.
// `tiers` counts these: begun, compiled, taken, or unchanged. A policy says where images come from.
// The GPU, an H200, and its compiler are fakes. fake::the_machine() has the state of the fake
// driver. fprop is the forward pass, dgrad and wgrad compute the gradients of the input and of the
// filter.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

import spio.aot;
import spio.cache;
import spio.conv2d;
import spio.conv2d.launch;
import spio.cuda;
import spio.fake_driver;
import spio.fake_images;
import spio.fake_nvrtc;
import spio.image;
import spio.jit;
import spio.launch;
import spio.runtime;
import spio.spec;
import spio.text;

using namespace spio;

namespace {

using fake::layer_of, fake::specs_of;

// A pack of images that the fake driver loads as cubins.
aot::pack pack_of(std::vector<spec> const& specs) {
    auto const file = std::make_shared<std::vector<std::byte> const>(fake::pack_bytes(specs));
    return aot::pack(*file, "a test", file);
}
// The generic kernels that serve the layers below.
aot::pack generic_pack() { return pack_of(fake::generic_specs()); }

// A fake GPU and compiler, with a cache folder of their own.
struct rig {
    test::folder folder;
    cuda::driver driver{fake::find};
    jit::nvrtc compiler{fake::nvrtc, "fake"};

    rig() {
        fake::the_machine().expect({});
        // The fake driver must know the size of each kernel's parameters. On sm_90a all kernels but
        // the reductions use TMA.
        fake::the_machine().params_bytes = [](std::string const& name) {
            if (name.starts_with("conv2d_wgrad_reduce_")) {
                return sizeof(conv2d::wgrad_reduce::params);
            }
            return name.starts_with("conv2d_wgrad_") ? sizeof(conv2d::wgrad_tma::params)
                                                     : sizeof(conv2d::tma::params);
        };
    }
    ~rig() { fake::the_machine().params_bytes = nullptr; }
    runtime make(policy policy, std::vector<aot::pack> packs = {}, bool tier_up = true) const {
        cache::options cache;
        cache.folder = folder.path;
        return runtime({.packs = std::move(packs),
                        .policy = policy,
                        .generic_images = generic_pack(),
                        .tier_up = tier_up,
                        .cache = cache,
                        .driver = &driver,
                        .compiler = &compiler});
    }
};

} // namespace

TEST_CASE("a layer begins with a generic kernel, and its own is compiled meanwhile") {
    rig const rig;
    auto const gpu = rig.make(policy::generic_then_jit);
    auto const compilations = fake::compilations.load();
    // Images of 7 x 7 gain by whole images in a stage, which only a kernel for them can have.
    conv2d::weight_gradient const gradient(
        gpu, layer_of("n=256 c=1152 h=7 w=7 pass=wgrad made_for=any_n"));
    CHECK(gpu.all_images().count().packed == 2); // of partial sums, and of their reduction
    CHECK(gpu.count_tiers().begun == 1);
    gpu.finish_compilations();
    CHECK(fake::compilations == compilations + 2);
    CHECK(gpu.count_tiers().compiled == 1);
    CHECK(gpu.count_tiers().taken == 0);
    gradient.prepare();
    CHECK(gpu.count_tiers().taken == 1);
    // The next runtime finds it on disk.
    auto const later = rig.make(policy::generic_then_jit);
    conv2d::weight_gradient const next(later,
                                       layer_of("n=256 c=1152 h=7 w=7 pass=wgrad made_for=any_n"));
    next.prepare();
    CHECK(later.count_tiers().taken == 1);
    CHECK(later.all_images().count().disk == 2);
    CHECK(fake::compilations == compilations + 2);
}

TEST_CASE("every pass of any layer is served without a compiler, with a bias and without") {
    rig const rig;
    auto const gpu = rig.make(policy::aot_only);
    int layers = 0;
    for (auto const* sizes : {"n=1 c=8 h=9 w=5", "n=300 c=4096 h=30 w=31 pad_h=0 pad_w=2"}) {
        for (auto const* made_for : {"all", "any_n", "any_image"}) {
            auto const line = std::string(sizes) + " made_for=" + made_for;
            CHECK_NOTHROW(conv2d::convolution(gpu, layer_of(line)));
            CHECK_NOTHROW(conv2d::convolution(gpu, layer_of(line + " bias=true")));
            CHECK_NOTHROW(conv2d::convolution(gpu, layer_of(line + " pass=dgrad")));
            layers += 3;
        }
    }
    CHECK(gpu.count_tiers().begun == static_cast<unsigned>(layers));
    CHECK(gpu.count_tiers().unchanged == 0);
    // Both sizes of fprop and of dgrad: one kernel each for narrow and for wide images.
    CHECK(gpu.all_kernels().loaded() == 4);
    CHECK_THROWS_WITH_AS(conv2d::convolution(gpu, layer_of("n=1 c=8 h=9 w=9 r=5 s=5")),
                         doctest::Contains("the manifest line that adds it to a pack of sm_90a is: "
                                           "conv2d n=1 c=8 h=9 w=9 r=5 s=5"),
                         error);
    CHECK_THROWS_AS(conv2d::convolution(gpu, layer_of("n=1 c=8 h=9 w=9 stride_h=2")), error);
}

TEST_CASE("a pack of the program comes before generic kernels") {
    rig const rig;
    auto const layer = layer_of("n=32 c=64 h=40 w=40");
    for (auto const policy : {policy::aot_only, policy::generic_then_jit}) {
        auto const gpu = rig.make(policy, {pack_of(specs_of(layer))});
        conv2d::convolution const own(gpu, layer);
        CHECK(gpu.count_tiers().begun == 0);
        CHECK(gpu.all_kernels().is_loaded(specs_of(layer).front()));
        conv2d::convolution const other(gpu, layer_of("n=32 c=64 h=41 w=40"));
        CHECK(gpu.count_tiers().begun == 1);
    }
}

TEST_CASE("under other policies, for named configurations and without tier_up nothing is compiled "
          "in the background") {
    rig const rig;
    auto const layer = layer_of("n=256 c=1152 h=7 w=7 made_for=any_n");
    for (auto const policy : {policy::aot_then_jit, policy::jit_only}) {
        auto const gpu = rig.make(policy);
        conv2d::convolution const kernel(gpu, layer);
        CHECK(gpu.count_tiers().begun == 0);
    }
    auto const gpu = rig.make(policy::generic_then_jit);
    conv2d::convolution const named(gpu, layer, conv2d::best_config(layer, sm_90a));
    CHECK(gpu.count_tiers().begun == 0);
    auto const pinned = rig.make(policy::generic_then_jit, /*packs=*/{}, /*tier_up=*/false);
    conv2d::convolution const kernel(pinned, layer);
    kernel.prepare();
    auto const count = pinned.count_tiers();
    CHECK(count.begun == 1);
    CHECK(count.unchanged + count.compiled + count.taken + count.failed == 0);
}

TEST_CASE("a layer that is new to a capture is refused, and the capture goes on") {
    rig const rig;
    auto const gpu = rig.make(policy::generic_then_jit);
    stream const stream(gpu.target_device());
    auto const graph = stream.capture([&] {
        CHECK_THROWS_WITH_AS(conv2d::convolution(gpu, layer_of("n=1 c=8 h=9 w=9")),
                             doctest::Contains("a graph is being captured"), error);
    });
    CHECK(gpu.count_tiers().begun == 0);
    CHECK_NOTHROW(conv2d::convolution(gpu, layer_of("n=1 c=8 h=9 w=9")));
}
