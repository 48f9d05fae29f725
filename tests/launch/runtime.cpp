// One object from a problem to a launch: what it picks, asks in which order, and counts.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

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

using test::folder;

cache::options options_in(folder const& own) {
    cache::options how;
    how.folder = own.path;
    return how;
}

// A pack of what the fake driver takes for cubins.
aot::pack pack_of(std::vector<spec> const& specs, std::string name, bool is_stale = false) {
    std::vector<aot::image_to_pack> images;
    for (auto const& of : specs) {
        std::string const text = "\177ELF" + of.symbol + " " + '\0';
        auto const bytes = std::as_bytes(std::span(text));
        images.push_back({.kernel = of,
                          .kind = image_kind::cubin,
                          .bytes = {bytes.begin(), bytes.end()},
                          .compiler = "a test",
                          .text_digest = text_digest_of(of) ^ (is_stale ? 1u : 0u),
                          .plain_bytes = bytes.size()});
    }
    auto const all = std::make_shared<std::vector<std::byte> const>(aot::write_pack(images));
    return aot::pack(*all, std::move(name), all);
}

template <class F> std::optional<error_kind> kind_thrown_by(F f) {
    try {
        f();
    } catch (spio::error const& e) {
        return e.kind();
    }
    return {};
}

bool contains(std::string const& text, char const* part) { return text.find(part) != text.npos; }

constexpr host_machine the_host = {host::allocate, host::release, host::encode, host::find};

std::vector<float> launched(runtime const& on, typed_spec<axpby::params> const& of) {
    stream const own(on.on());
    array<float> const x(on.on(), 3), y(on.on(), 3);
    own.write(x, std::vector<float>{1, 2, 3});
    own.write(y, std::vector<float>{1, 1, 1});
    auto const all = [](array<float> const& in) { return in.as<axpby::scalars>(axpby::N(3)); };
    own.launch(on.load(of), {.a = 2, .x = all(x), .b = 3, .y = all(y)});
    std::vector<float> sums(3);
    own.read(std::span(sums), y);
    own.synchronize();
    return sums;
}
std::vector<float> const expected = {5, 7, 9};

} // namespace

TEST_CASE("packs are asked first and in their order, then memory, the disk and NVRTC") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    folder const own;
    auto const shipped = axpby::specialize({.n = 1000}, sm_90a);
    auto const other = axpby::specialize({.n = 10'000'000}, sm_90a);
    auto const options = [&] {
        return runtime_options{.packs = {pack_of({}, "none"), pack_of({shipped}, "first"),
                                         pack_of({shipped, other}, "second")},
                               .policy = policy::aot_then_jit,
                               .cache = options_in(own),
                               .driver = &driver,
                               .compiler = &compiler};
    };
    {
        runtime const gpu(options());
        CHECK(gpu.arch() == sm_90a);
        CHECK(contains(gpu.all_images().find(shipped).made_by, "first"));
        CHECK(contains(gpu.all_images().find(other).made_by, "second"));
        CHECK(gpu.all_images().find(other, policy::jit_only).made_by == "NVRTC 13.0");
        CHECK(gpu.all_images().find(other, policy::jit_only).found == origin::memory);
        CHECK(launched(gpu, shipped) == expected);
        auto const count = gpu.all_images().count();
        CHECK(count.packed == 3);
        CHECK(count.compiled == 1);
        CHECK(count.memory == 1);
        CHECK(count.compiled_milliseconds > 0);
        CHECK(gpu.cached().compiled == 1);
    }
    auto how = options();
    how.packs.clear();
    runtime const later(std::move(how));
    CHECK(launched(later, other) == expected);
    CHECK(later.all_images().count().disk == 1);
    CHECK(later.all_images().count().disk_milliseconds > 0);
    how = options();
    how.packs.clear();
    how.policy = policy::aot_only;
    runtime const strict(std::move(how));
    CHECK_THROWS_AS(strict.load(other), spio::error);
    CHECK(strict.all_images().count().missed == 1);
}

TEST_CASE("where there is no GPU the host takes its place, if it may") {
    auto& machine = fake::the_machine();
    machine.expect({});
    cuda::driver const driver(fake::find);
    folder const own;
    auto const options = [&](std::optional<host_machine> host) {
        return runtime_options{.packs = {},
                               .gpu = 7,
                               .host = host,
                               .policy = policy::aot_then_jit,
                               .cache = options_in(own),
                               .driver = &driver};
    };
    // There are two: a wrong number, or one that cannot be used, is no reason to take another.
    CHECK(kind_thrown_by([&] { runtime(options(the_host)); }) == error_kind::device);
    auto forced = options(the_host);
    forced.always_on_host = true;
    CHECK(runtime(std::move(forced)).arch() == host_arch);
    forced = options({});
    forced.always_on_host = true;
    CHECK_THROWS_WITH_AS(runtime(std::move(forced)),
                         "open for the host device: always_on_host is true, but no host is given",
                         spio::error);
    machine.expect({.at = 0, .code = 2});
    CHECK(kind_thrown_by([&] { runtime(options(the_host)); }) == error_kind::device);
    machine.expect({.at = 0, .code = 100});
    CHECK(runtime(options(the_host)).arch() == host_arch);
    machine.expect({});
    machine.counted = 0;
    runtime const here(options(the_host));
    machine.counted = fake::machine::devices;
    CHECK(here.arch() == host_arch);
    auto const of = axpby::specialize({.n = 1000}, here.arch());
    CHECK(launched(here, of) == expected);
    CHECK(here.all_images().count().packed == 1);
    CHECK(kind_thrown_by([&] { runtime(options({})); }) == error_kind::device);
    // A graph on the host does what was captured, with the parameters of then.
    stream const one(here.on());
    array<float> const x(here.on(), 1), y(here.on(), 1);
    one.write(x, std::vector<float>{1});
    one.write(y, std::vector<float>{0});
    auto const kernel = here.load(of);
    auto const single = [](array<float> const& in) { return in.as<axpby::scalars>(axpby::N(1)); };
    axpby::params p = {.a = 3, .x = single(x), .b = 1, .y = single(y)};
    auto const twice = one.capture([&] {
        CHECK(one.is_captured());
        one.launch(kernel, p);
        p.a = 4;
        one.launch(kernel, p);
        auto const wide = axpby::specialize({.n = 10'000'000}, here.arch());
        CHECK(kind_thrown_by([&] { here.load(wide); }) == error_kind::cold_kernel);
        CHECK(kind_thrown_by([&] { here.load(wide, one); }) == error_kind::cold_kernel);
    });
    CHECK(!one.is_captured());
    one.launch(twice);
    one.launch(twice);
    std::vector<float> sum(1);
    one.read(std::span(sum), y);
    one.synchronize();
    CHECK(sum[0] == 14);
    CHECK_THROWS_AS((stream(here.on(), nullptr)), spio::error);
}

TEST_CASE("several devices share a driver; a stream of one is not the other's") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    auto const on = [&](int gpu) {
        return runtime_options{.gpu = gpu,
                               .policy = policy::aot_then_jit,
                               .cache = {},
                               .driver = &driver,
                               .compiler = &compiler};
    };
    runtime const one(on(0)), two(on(1));
    auto const of = axpby::specialize({.n = 1000}, sm_90a);
    CHECK(launched(one, of) == expected);
    CHECK(launched(two, of) == expected);
    cuda::context const theirs(driver.device(1));
    cuda::stream const of_theirs(theirs);
    void* const handle = cuda::stream_ref(of_theirs).handle();
    CHECK_NOTHROW((stream(two.on(), handle)));
    CHECK_THROWS_AS((stream(one.on(), handle)), spio::error);
    stream const of_two(two.on());
    CHECK_THROWS_AS(of_two.launch(one.load(of), launch_shape(), {}), spio::error);
}

TEST_CASE("a pack of another text is passed over, and told where nothing else is asked") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    folder const own;
    auto const of = axpby::specialize({.n = 1000}, sm_90a);
    auto const options = [&](std::vector<aot::pack> packs) {
        return runtime_options{.packs = std::move(packs),
                               .policy = policy::aot_then_jit,
                               .cache = options_in(own),
                               .driver = &driver,
                               .compiler = &compiler};
    };
    auto const old = pack_of({of}, "old", true);
    runtime const gpu(options({old}));
    try {
        gpu.load(of, policy::aot_only);
        CHECK(false);
    } catch (spio::error const& e) {
        CHECK(e.reason().starts_with("pack old has it of another text, by a test, and nothing else "
                                     "is asked under aot_only; the manifest line"));
    }
    CHECK(launched(gpu, of) == expected);
    CHECK(gpu.all_images().count().packed == 0);
    CHECK(gpu.all_images().count().compiled == 1);
    runtime const renewed(options({old, pack_of({of}, "new")}));
    CHECK(contains(renewed.all_images().find(of).made_by, "new"));
}

TEST_CASE("a policy of one call is that call's alone") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    folder const own;
    runtime const strict({.packs = {},
                          .policy = policy::aot_only,
                          .cache = options_in(own),
                          .driver = &driver,
                          .compiler = &compiler});
    auto const of = axpby::specialize({.n = 1000}, sm_90a);
    spec const other[] = {axpby::specialize({.n = 10'000'000}, sm_90a)};
    CHECK_THROWS_AS(strict.load(of), spio::error);
    CHECK_THROWS_AS(strict.prepare(other), spio::error);
    CHECK_NOTHROW(strict.load(of, policy::aot_then_jit));
    CHECK_NOTHROW(strict.prepare(other, policy::jit_only));
    CHECK(strict.all_kernels().loaded() == 2);
    CHECK(strict.all_images().count().missed == 2);
}
