// spio::runtime: which device it picks, in which order it asks for images, and what it counts.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. An image is a compiled kernel. The host device simulates a GPU on the CPU. The fake
// driver stands for CUDA's: it keeps memory and kernels in plain objects, and can fail any call. A
// policy says whether images come from packs (files of them), from a compiler at run time, or both.
// A cold kernel is one that is not loaded yet. axpby is y = a x + b y. fake::the_machine() has the
// state of the fake driver. A typed_spec is a spec with the type of its parameters.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

import spio.aot;
import spio.axpby;
import spio.cache;
import spio.cuda;
import spio.fake_driver;
import spio.fake_nvrtc;
import spio.host;
import spio.image;
import spio.jit;
import spio.launch;
import spio.runtime;
import spio.spec;
import spio.text;

using namespace spio;

namespace {

using test::contains;
using test::folder;

cache::options options_in(folder const& folder) {
    cache::options options;
    options.folder = folder.path;
    return options;
}

// A pack of images that the fake driver loads as cubins. A stale pack was built from another text.
aot::pack pack_of(std::vector<spec> const& specs, std::string name, bool is_stale = false) {
    std::vector<aot::image_to_pack> images;
    for (auto const& spec : specs) {
        std::string const text = "\177ELF" + spec.symbol + " " + '\0';
        auto const bytes = std::as_bytes(std::span(text));
        images.push_back({.kernel = spec,
                          .kind = image_kind::cubin,
                          .bytes = {bytes.begin(), bytes.end()},
                          .compiler = "a test",
                          .text_digest = text_digest_of(spec) ^ (is_stale ? 1u : 0u),
                          .plain_bytes = bytes.size()});
    }
    auto const file = std::make_shared<std::vector<std::byte> const>(aot::write_pack(images));
    return aot::pack(*file, std::move(name), file);
}

// The kind of the error that f throws, if it does.
template <class F> std::optional<error_kind> kind_thrown_by(F f) {
    try {
        f();
    } catch (spio::error const& e) {
        return e.kind();
    }
    return {};
}

constexpr host_machine the_host = {host::allocate, host::release, host::encode, host::find};

// What axpby makes of x = {1, 2, 3} and y = {1, 1, 1} with a = 2 and b = 3.
std::vector<float> sum_by_launch(runtime const& runtime, typed_spec<axpby::params> const& spec) {
    stream const stream(runtime.target_device());
    array<float> const x(runtime.target_device(), 3), y(runtime.target_device(), 3);
    stream.write(x, std::vector<float>{1, 2, 3});
    stream.write(y, std::vector<float>{1, 1, 1});
    auto const scalar_view = [](array<float> const& values) {
        return values.as<axpby::scalars>(axpby::N(3));
    };
    stream.launch(runtime.load(spec), {.a = 2, .x = scalar_view(x), .b = 3, .y = scalar_view(y)});
    std::vector<float> sums(3);
    stream.read(std::span(sums), y);
    stream.synchronize();
    return sums;
}
std::vector<float> const expected = {5, 7, 9};

} // namespace

TEST_CASE("packs are asked first and in their order, then memory, the disk and NVRTC") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    folder const folder;
    auto const shipped = axpby::specialize({.n = 1000}, sm_90a);
    auto const other = axpby::specialize({.n = 10'000'000}, sm_90a);
    auto const make_options = [&] {
        return runtime_options{.packs = {pack_of({}, "none"), pack_of({shipped}, "first"),
                                         pack_of({shipped, other}, "second")},
                               .policy = policy::aot_then_jit,
                               .cache = options_in(folder),
                               .driver = &driver,
                               .compiler = &compiler};
    };
    {
        runtime const gpu(make_options());
        CHECK(gpu.arch() == sm_90a);
        CHECK(contains(gpu.all_images().find(shipped).made_by, "first"));
        CHECK(contains(gpu.all_images().find(other).made_by, "second"));
        CHECK(gpu.all_images().find(other, policy::jit_only).made_by == "NVRTC 13.0");
        CHECK(gpu.all_images().find(other, policy::jit_only).found == origin::memory);
        CHECK(sum_by_launch(gpu, shipped) == expected);
        auto const count = gpu.all_images().count();
        CHECK(count.packed == 3);
        CHECK(count.compiled == 1);
        CHECK(count.memory == 1);
        CHECK(count.compiled_milliseconds > 0);
    }
    auto changed_options = make_options();
    changed_options.packs.clear();
    runtime const later(std::move(changed_options));
    CHECK(sum_by_launch(later, other) == expected);
    CHECK(later.all_images().count().disk == 1);
    CHECK(later.all_images().count().disk_milliseconds > 0);
    changed_options = make_options();
    changed_options.packs.clear();
    changed_options.policy = policy::aot_only;
    runtime const strict(std::move(changed_options));
    CHECK_THROWS_AS(strict.load(other), spio::error);
    CHECK(strict.all_images().count().missed == 1);
}

TEST_CASE("without a GPU the host device takes its place, where the options allow it") {
    auto& machine = fake::the_machine();
    machine.expect({});
    cuda::driver const driver(fake::find);
    folder const folder;
    auto const make_options = [&](std::optional<host_machine> host) {
        return runtime_options{.packs = {},
                               .gpu = 7,
                               .host = host,
                               .policy = policy::aot_then_jit,
                               .cache = options_in(folder),
                               .driver = &driver};
    };
    // The machine has two GPUs: the host device replaces neither a number that is out of range nor
    // a GPU that fails.
    CHECK(kind_thrown_by([&] { runtime(make_options(the_host)); }) == error_kind::device);
    auto forced = make_options(the_host);
    forced.always_on_host = true;
    CHECK(runtime(std::move(forced)).arch() == host_arch);
    forced = make_options({});
    forced.always_on_host = true;
    CHECK_THROWS_WITH_AS(runtime(std::move(forced)),
                         "open for the host device: always_on_host is true, but no host is given",
                         spio::error);
    // The driver's first call fails: code 2 is out of memory, 100 is no device.
    machine.expect({.call = 0, .code = 2});
    CHECK(kind_thrown_by([&] { runtime(make_options(the_host)); }) == error_kind::device);
    machine.expect({.call = 0, .code = 100});
    CHECK(runtime(make_options(the_host)).arch() == host_arch);
    machine.expect({});
    machine.counted = 0;
    runtime const host_runtime(make_options(the_host));
    machine.counted = fake::machine::devices;
    CHECK(host_runtime.arch() == host_arch);
    auto const spec = axpby::specialize({.n = 1000}, host_runtime.arch());
    CHECK(sum_by_launch(host_runtime, spec) == expected);
    CHECK(host_runtime.all_images().count().packed == 1);
    CHECK(kind_thrown_by([&] { runtime(make_options({})); }) == error_kind::device);
    // A graph on the host device launches with the parameters of the time of capture.
    stream const own_stream(host_runtime.target_device());
    array<float> const x(host_runtime.target_device(), 1), y(host_runtime.target_device(), 1);
    own_stream.write(x, std::vector<float>{1});
    own_stream.write(y, std::vector<float>{0});
    auto const kernel = host_runtime.load(spec);
    auto const scalar_view = [](array<float> const& values) {
        return values.as<axpby::scalars>(axpby::N(1));
    };
    axpby::params p = {.a = 3, .x = scalar_view(x), .b = 1, .y = scalar_view(y)};
    auto const graph = own_stream.capture([&] {
        CHECK(own_stream.is_captured());
        own_stream.launch(kernel, p);
        p.a = 4;
        own_stream.launch(kernel, p);
        auto const wide = axpby::specialize({.n = 10'000'000}, host_runtime.arch());
        CHECK(kind_thrown_by([&] { host_runtime.load(wide); }) == error_kind::cold_kernel);
        CHECK(kind_thrown_by([&] { host_runtime.load(wide, own_stream); }) ==
              error_kind::cold_kernel);
    });
    CHECK(!own_stream.is_captured());
    own_stream.launch(graph);
    own_stream.launch(graph);
    std::vector<float> sum(1);
    own_stream.read(std::span(sum), y);
    own_stream.synchronize();
    CHECK(sum[0] == 14); // 2 x (3 + 4)
    CHECK_THROWS_AS((stream(host_runtime.target_device(), nullptr)), spio::error);
}

TEST_CASE("two devices share a driver, and refuse each other's streams") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    auto const make_options = [&](int gpu) {
        return runtime_options{.gpu = gpu,
                               .policy = policy::aot_then_jit,
                               .cache = {},
                               .driver = &driver,
                               .compiler = &compiler};
    };
    runtime const first(make_options(0)), second(make_options(1));
    auto const spec = axpby::specialize({.n = 1000}, sm_90a);
    CHECK(sum_by_launch(first, spec) == expected);
    CHECK(sum_by_launch(second, spec) == expected);
    cuda::context const foreign_context(driver.device(1));
    cuda::stream const foreign_stream(foreign_context);
    void* const handle = cuda::stream_ref(foreign_stream).handle();
    CHECK_NOTHROW((stream(second.target_device(), handle)));
    CHECK_THROWS_AS((stream(first.target_device(), handle)), spio::error);
    stream const second_stream(second.target_device());
    CHECK_THROWS_AS(second_stream.launch(first.load(spec), launch_shape(), axpby::params()),
                    spio::error);
}

TEST_CASE("a pack built from another text is skipped, and named by the error of a miss") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    folder const folder;
    auto const spec = axpby::specialize({.n = 1000}, sm_90a);
    auto const make_options = [&](std::vector<aot::pack> packs) {
        return runtime_options{.packs = std::move(packs),
                               .policy = policy::aot_then_jit,
                               .cache = options_in(folder),
                               .driver = &driver,
                               .compiler = &compiler};
    };
    auto const old = pack_of({spec}, "old", /*is_stale=*/true);
    runtime const gpu(make_options({old}));
    try {
        gpu.load(spec, policy::aot_only);
        CHECK(false);
    } catch (spio::error const& e) {
        CHECK(e.reason().starts_with("pack old has it of another text, by a test, and nothing else "
                                     "is asked under aot_only; the manifest line"));
    }
    CHECK(sum_by_launch(gpu, spec) == expected);
    CHECK(gpu.all_images().count().packed == 0);
    CHECK(gpu.all_images().count().compiled == 1);
    runtime const renewed(make_options({old, pack_of({spec}, "new")}));
    CHECK(contains(renewed.all_images().find(spec).made_by, "new"));
}

TEST_CASE("a policy given to one call changes no other call") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    folder const folder;
    runtime const strict({.packs = {},
                          .policy = policy::aot_only,
                          .cache = options_in(folder),
                          .driver = &driver,
                          .compiler = &compiler});
    auto const small_spec = axpby::specialize({.n = 1000}, sm_90a);
    spec const large_specs[] = {axpby::specialize({.n = 10'000'000}, sm_90a)};
    CHECK_THROWS_AS(strict.load(small_spec), spio::error);
    CHECK_THROWS_AS(strict.prepare(large_specs), spio::error);
    CHECK_NOTHROW(strict.load(small_spec, policy::aot_then_jit));
    CHECK_NOTHROW(strict.prepare(large_specs, policy::jit_only));
    CHECK(strict.all_kernels().loaded() == 2);
    CHECK(strict.all_images().count().missed == 2);
}

TEST_CASE("while a thread captures, its runtime finds and loads nothing") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    folder const folder;
    runtime const gpu(
        {.packs = {}, .cache = options_in(folder), .driver = &driver, .compiler = &compiler});
    auto const spec = axpby::specialize({.n = 1000}, sm_90a);
    stream const stream(gpu.target_device());
    CHECK_THROWS_AS(stream.capture([&] { gpu.load(spec, policy::jit_only); }), spio::error);
    CHECK(gpu.all_kernels().loaded() == 0);
    auto const count = gpu.all_images().count();
    CHECK(count.compiled + count.disk + count.missed == 0);
}
