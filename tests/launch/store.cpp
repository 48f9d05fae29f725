// A store of compiled kernels: what is ready never waits, and no two texts are taken for one.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. An image is a compiled kernel. `images` keeps images in memory, and `kernels` those
// that a device has loaded. A policy says whether images come from packs (files of them), from a
// compiler at run time, or both. no_source stands for packs, or for a compiler, where there are
// none. A typed_spec is a spec with the type of its parameters. The plan of a tensor map says all
// but its address.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

import spio.added_images;
import spio.axpby;
import spio.cuda;
import spio.image;
import spio.launch;
import spio.spec;

using namespace spio;

namespace {

// The spec with this number: each number has other blocks of threads, and so another kernel.
typed_spec<axpby::params> spec_number(int number) {
    return axpby::specialize({.n = 1000}, {.threads = 32 * number, .vectors = 1}, sm_80);
}

// An image without bytes.
image image_of(spec const& spec, std::string made_by) {
    return image_of_bytes(spec, image_kind::cubin, /*bytes=*/{}, std::move(made_by));
}

// A compiler with a disk in memory. `callback` is called in each compilation.
struct compiler {
    mutable std::map<std::string, image> disk;
    mutable std::atomic<int> compilations = 0;
    std::function<void(spec const&)> callback = {};

    // The image that is on its disk for this text.
    std::optional<image> kept(spec const& spec) const {
        auto const found = disk.find(spec.source);
        if (found == disk.end()) return {};
        auto result = found->second;
        result.found = origin::disk;
        return result;
    }
    std::optional<image> compile(spec const& spec) const {
        ++compilations;
        if (callback) callback(spec);
        return image_of(spec, "a compiler, of " + spec.source);
    }
    // Numbers to be found again in the counters of `images`.
    folder_counters count() const {
        return {.moved_aside = 1, .publish_failures = 2, .evicted = 3};
    }
};

// The reason of the error that f() throws.
template <class F> std::string refusal(F const& f) {
    try {
        f();
    } catch (spio::error const& failure) {
        return failure.reason();
    }
    return "none";
}

} // namespace

TEST_CASE(
    "images come from packs, memory, disk and the compiler in this order, each counted once") {
    auto const packed = spec_number(1), cached = spec_number(2), compiled = spec_number(3);
    added_images pack;
    pack.add(image_of(packed, "a pack"));
    compiler compiler;
    compiler.disk.emplace(packed.source, image_of(packed, "the disk"));
    compiler.disk.emplace(cached.source, image_of(cached, "the disk"));
    images const images(pack, compiler, policy::aot_then_jit);
    auto const origin_of = [&](spec const& spec, policy policy) {
        return images.find(spec, policy).found;
    };
    for (int round = 0; round < 2; ++round) {
        bool const is_first = round == 0;
        CHECK(origin_of(packed, policy::aot_then_jit) == origin::packed);
        CHECK(origin_of(cached, policy::aot_then_jit) ==
              (is_first ? origin::disk : origin::memory));
        CHECK(origin_of(compiled, policy::aot_then_jit) ==
              (is_first ? origin::compiled : origin::memory));
        CHECK(origin_of(packed, policy::jit_only) == (is_first ? origin::disk : origin::memory));
    }
    CHECK(compiler.compilations == 1);
    auto const count = images.count();
    CHECK(count.packed == 2);
    CHECK(count.disk == 2);
    CHECK(count.compiled == 1);
    CHECK(count.memory == 3);
    CHECK(count.missed == 0);
    CHECK(count.folder.moved_aside == 1);
    CHECK(count.folder.publish_failures == 2);
    CHECK(count.folder.evicted == 3);
}

TEST_CASE("two texts of one symbol have an image each, and a kernel each") {
    auto const first = spec_number(1);
    auto other = first, with_headers = first;
    other.source += "// another text\n";
    static std::array<header, 2> const headers = {header{"a.h", "int a;\n"}, {"b.h", "int b;\n"}};
    with_headers.headers = headers;
    compiler const compiler;
    no_source const no_pack;
    images const images(no_pack, compiler, policy::jit_only);
    for (int round = 0; round < 2; ++round) {
        for (auto const& spec : {first, other, with_headers}) {
            auto const found = images.find(spec);
            CHECK(found.made_by == "a compiler, of " + spec.source);
            CHECK(found.text.is_of(spec));
        }
    }
    CHECK(compiler.compilations == 3);
}

TEST_CASE("what is in memory is found while another kernel is compiled") {
    auto const warm = spec_number(1), cold = spec_number(2);
    std::latch begun(1), may_end(1);
    compiler compiler;
    compiler.callback = [&](spec const& spec) {
        if (spec.symbol != cold.symbol) return;
        begun.count_down();
        may_end.wait();
    };
    no_source const no_pack;
    images const images(no_pack, compiler, policy::jit_only);
    images.find(warm);
    std::jthread const thread([&] { images.find(cold); });
    begun.wait();
    // Each of these calls would wait forever if it waited for the compilation.
    CHECK(images.find(warm).found == origin::memory);
    CHECK(images.count().memory == 1);
    CHECK(images.find(spec_number(3)).found == origin::compiled);
    may_end.count_down();
}

TEST_CASE("a compilation that waits for itself is refused, directly and by way of other threads") {
    auto const first = spec_number(1), second = spec_number(2);
    compiler compiler;
    no_source const no_pack;
    images const images(no_pack, compiler, policy::jit_only);
    std::atomic<int> refused = 0;
    auto const ask = [&](spec const& spec) {
        refused += refusal([&] { images.find(spec); }).starts_with("what is being done for it");
    };
    compiler.callback = [&](spec const& spec) { ask(spec); };
    images.find(first);
    CHECK(refused == 1);

    // Each of two threads compiles a kernel, and asks for that of the other.
    auto const third = spec_number(3), fourth = spec_number(4);
    std::latch start(2);
    refused = 0;
    compiler.callback = [&](spec const& spec) {
        start.arrive_and_wait();
        ask(spec.symbol == third.symbol ? fourth : third);
    };
    {
        std::jthread const third_thread([&] { CHECK(images.find(third).symbol == third.symbol); });
        std::jthread const fourth_thread(
            [&] { CHECK(images.find(fourth).symbol == fourth.symbol); });
    }
    CHECK(refused == 1);
    CHECK(images.find(third).found == origin::memory);
}

namespace {

struct loaded_nothing : ready_kernel {};

// A device that only loads kernels. `callback` is called in each load.
struct loading_device : backend {
    std::atomic<int> loads = 0;
    std::function<void(image const&)> callback = {};

    std::string name() const override { return "a device"; }
    spio::arch arch() const override { return sm_80; }
    std::shared_ptr<void> allocate(std::size_t bytes, std::string) override {
        return std::make_shared<std::vector<std::byte>>(bytes + 1);
    }
    tensor_map_words encode(tensor_map_plan const&, void*) override { return {}; }
    std::unique_ptr<ready_kernel const> load(image const& image) override {
        ++loads;
        if (callback) callback(image);
        return std::make_unique<loaded_nothing const>();
    }
    std::unique_ptr<work_queue> make_queue() override { return nullptr; }
    std::unique_ptr<work_queue> borrow_queue(void*) override { return nullptr; }
};

} // namespace

TEST_CASE("a loaded kernel is found while another one is loaded, and each is loaded once") {
    auto const home = std::make_shared<loading_device>();
    kernels const kernels{device(home)};
    auto const warm = spec_number(1), cold = spec_number(2);
    kernels.prepare(image_of(warm, "a test"));
    std::latch begun(1), may_end(1);
    home->callback = [&](image const& image) {
        if (image.symbol != cold.symbol) return;
        begun.count_down();
        may_end.wait();
    };
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] { kernels.prepare(image_of(cold, "a test")); });
    }
    begun.wait();
    // Each of these calls would wait forever if it waited for the load.
    CHECK(kernels.is_loaded(warm));
    CHECK(kernels.find(warm).has_value());
    CHECK(!kernels.is_loaded(cold));
    CHECK(kernels.loaded() == 1);
    kernels.prepare(image_of(spec_number(3), "a test"));
    may_end.count_down();
    threads.clear();
    CHECK(kernels.is_loaded(cold));
    CHECK(kernels.loaded() == 3);
    CHECK(home->loads == 3);
}

TEST_CASE("kernels of one symbol are told apart by their text") {
    auto const home = std::make_shared<loading_device>();
    kernels const kernels{device(home)};
    auto const first = spec_number(1);
    auto other = first;
    other.source += "// another text\n";
    kernels.prepare(image_of(first, "a test"));
    CHECK(kernels.is_loaded(first));
    CHECK(!kernels.is_loaded(other));
    kernels.prepare(image_of(other, "a test"));
    CHECK(kernels.is_loaded(other));
    CHECK(&kernels.find(first)->ready() != &kernels.find(other)->ready());
    CHECK(kernels.loaded() == 2);
    CHECK(home->loads == 2);
}

TEST_CASE("what a load throws reaches every thread that waits, and the next call loads again") {
    auto const home = std::make_shared<loading_device>();
    kernels const kernels{device(home)};
    auto const spec = spec_number(1);
    home->callback = [](image const& image) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        throw spio::error(error_kind::device, "load", image.symbol, "it is broken");
    };
    std::atomic<int> refused = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([&] {
                refused +=
                    refusal([&] { kernels.prepare(image_of(spec, "a test")); }) == "it is broken";
            });
        }
    }
    CHECK(refused == 8);
    CHECK(!kernels.is_loaded(spec));
    home->callback = {};
    kernels.prepare(image_of(spec, "a test"));
    CHECK(kernels.is_loaded(spec));
}
