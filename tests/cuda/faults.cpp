// Every call of a long day with the driver fails once: it is told, and nothing leaks.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

import spio.cuda;
import spio.fake_driver;

using namespace spio::cuda;
using spio::error_kind;
using spio::launch_shape;
using spio::tensor_map_plan;
using spio::tensor_map_words;

namespace {

constexpr int n = 64;

struct vector {
    float* data;
    int size;
};
struct addition {
    float a;
    vector x;
    float b;
    vector y;
};

std::span<std::byte const> image() {
    static char const text[] = "\177ELF"
                               "add_plain add_cluster add_large ";
    return std::as_bytes(std::span(text));
}

// What came of a day: an error, or whether all that was computed is right; and what was told.
struct outcome {
    std::optional<spio::error> thrown;
    bool right = true;
    std::vector<spio::error> told;

    void expect(bool is) { right = right && is; }
};

// A kernel is found, made ready, launched in three ways, and its sums are looked at.
void use(kernel_ref const& kernel, context const& on, outcome& day) {
    auto const device = on.device();
    day.expect(kernel.parameters(on) == std::vector<parameter>{{0, sizeof(addition)}});
    kernel.allow_dynamic_shared(100 * 1024, device);
    auto const shared = abi::function_attribute::max_dynamic_shared_bytes;
    day.expect(kernel.attribute(shared, device) == 100 * 1024);
    function_ref const function = kernel.load(on);
    day.expect(function.attribute(abi::function_attribute::registers) == 32);
    day.expect(function.blocks_per_multiprocessor(256, 0) == 8);

    stream const one(on);
    stream const other(on, -1);
    event const begun(on, timing::on);
    event const done(on, timing::on);
    memory const x(on, n * sizeof(float));
    memory const y(on, n * sizeof(float));
    host_memory const pinned(on, n * sizeof(float));
    auto const floats = reinterpret_cast<float*>(pinned.bytes().data());
    std::fill_n(floats, n, 3.f);

    event_ref(begun).record(one);
    copy(one, x, std::span<std::byte const>(pinned.bytes()));
    copy(one, y, memory_ref(x));
    addition p{2,
               {reinterpret_cast<float*>(x.address()), n},
               1,
               {reinterpret_cast<float*>(y.address()), n}};
    void* parameters[] = {&p};
    // 3 + 2 x 3 = 9, then 15
    launch_shape const shape{
        .grid = {8},
        .shape = {
            .block = {256}, .cluster = {2}, .shared_bytes = 99 * 1024, .overlaps_previous = true}};
    launch(function, shape, one, parameters);
    launch(function, {.grid = {8}, .shape = {.block = {256}}}, stream_ref::legacy(on), parameters);
    day.expect(active_clusters(function, shape, one) == 16);
    event_ref(done).record(one);
    stream_ref(other).wait(done);
    day.expect(event_ref(done).is_done() && one.is_done());
    event_ref(done).synchronize();
    day.expect(event_ref(done).milliseconds_since(begun) == 0.5f);

    // 15, twice 6 more
    day.expect(stream_ref(other).capture() == abi::capture_status::none);
    begin_capture(other);
    day.expect(stream_ref(other).capture() == abi::capture_status::active);
    launch(function, {.grid = {8}, .shape = {.block = {256}}}, other, parameters);
    {
        executable_graph const again(end_capture(other));
        again.launch(other);
        again.launch(other);
    }
    copy(other, pinned.bytes(), memory_ref(y));
    stream_ref(other).synchronize();
    on.synchronize();
    day.expect(std::all_of(floats, floats + n, [](float f) { return f == 27.f; }));

    fill(one, memory_ref(y).part(0, 8), std::byte(1));
    fill_words(one, memory_ref(y).part(8, 8), 0x02020202);
    copy(one, pinned.bytes().first(16), memory_ref(y).part(0, 16));
    one.synchronize();
    char const expected[] = "\1\1\1\1\1\1\1\1\2\2\2\2\2\2\2";
    day.expect(std::memcmp(floats, expected, 15) == 0);

    auto const foreign = stream_ref::of(kernel.driver(), stream_ref(one).handle());
    day.expect(foreign.context().device().ordinal() == device.ordinal());
    tensor_map_plan const box{
        .rank = 2, .element_bytes = 4, .sizes = {8, 8}, .strides = {4, 32}, .box = {8, 4}};
    tensor_map_words const map = encode(on, box, y);
    day.expect(map.words[0] == y.address() && map.words[3] == 32 && map.words[5] == 4);
}

void spend(outcome& day) {
    driver const driver(fake::find, [&](spio::error const& e) { day.told.push_back(e); });
    day.expect(driver.version() == 13000 && driver.device_count() == 2);
    library const library(driver, image(), "additions");
    // A kernel that is not there has its error whatever becomes of the driver's words for it.
    try {
        library.kernel("subtraction");
        day.expect(false);
    } catch (spio::error const& e) {
        if (e.code() != static_cast<int>(abi::result::not_found)) throw;
        day.expect(e.tried() == "cuLibraryGetKernel");
    }
    std::vector<context> contexts;
    for (int ordinal = 0; ordinal < 2; ++ordinal) {
        auto const device = driver.device(ordinal);
        day.expect(device.name() == "Fake " + std::to_string(ordinal));
        day.expect(device.uuid()[15] == ordinal + 1);
        day.expect(device.capability() == capability{9, 0} && device.memory_bytes() == 1 << 30);
        contexts.emplace_back(device);
        day.expect(context_ref(contexts.back()).memory().total == 2);
    }
    for (auto const& on : contexts) {
        for (auto symbol : {"add_plain", "add_cluster", "add_large"}) {
            use(library.kernel(symbol), on, day);
        }
    }
}

// What the caller had entered before, and has to be in after.
constexpr std::uintptr_t callers_own = 1;

outcome day_with(fake::fault fault) {
    outcome day;
    fake::the_machine().expect(fault);
    fake::entered = {callers_own};
    try {
        spend(day);
    } catch (spio::error const& e) {
        day.thrown = e;
    }
    return day;
}

bool is_release(std::string const& entry) {
    static std::set<std::string> const all = {"cuDevicePrimaryCtxRelease",
                                              "cuCtxPopCurrent",
                                              "cuLibraryUnload",
                                              "cuMemFree",
                                              "cuMemFreeHost",
                                              "cuStreamDestroy",
                                              "cuEventDestroy",
                                              "cuGraphDestroy",
                                              "cuGraphExecDestroy"};
    return all.contains(entry);
}

bool names(spio::error const& e, std::string const& entry, unsigned code) {
    return e.tried() == entry && e.code() == static_cast<int>(code) &&
           e.kind() == error_kind::device && !e.subject().empty() && !e.reason().empty();
}

// What is wrong with how a day with a fault went, if anything.
std::string complaint(outcome const& day, fake::fault fault) {
    auto const& gpus = fake::the_machine();
    std::string const entry = gpus.failed ? gpus.failed : "nothing";
    bool const lost = is_release(entry) && !fault.after;
    if (day.thrown && !names(*day.thrown, entry, fault.code))
        return "thrown: " + std::string(day.thrown->what());
    for (auto const& e : day.told) {
        if (!names(e, entry, fault.code)) return "told: " + std::string(e.what());
    }
    if (!day.thrown && !day.right) return "wrong sums";
    if (is_release(entry) && day.told.size() != 1) return "not told of the loss";
    if (!is_release(entry) && !day.told.empty()) return "told of a loss that is none";
    // What was refused to be taken back is there, as was told; nothing else is.
    bool const context_stayed = fake::entered != std::vector{callers_own};
    if (context_stayed && !(lost && entry == "cuCtxPopCurrent")) return "a context stayed current";
    std::size_t objects = gpus.objects.size();
    if (lost && entry == "cuLibraryUnload") {
        objects -= std::count_if(gpus.objects.begin(), gpus.objects.end(), [](auto const& o) {
            return o.second.kind == fake::kind::kernel || o.second.kind == fake::kind::function;
        });
    }
    bool const object_stays = lost && entry != "cuCtxPopCurrent";
    if (objects != static_cast<std::size_t>(object_stays))
        return "a leak: " + std::to_string(objects) + " objects";
    return {};
}

void clean() {
    auto& gpus = fake::the_machine();
    gpus.objects.clear();
    std::ranges::fill(gpus.retained, 0);
}

} // namespace

TEST_CASE("each call of the driver fails once") {
    outcome const whole = day_with({});
    if (whole.thrown) FAIL(whole.thrown->what());
    REQUIRE(whole.right);
    REQUIRE(whole.told.empty());
    REQUIRE(fake::the_machine().objects.empty());
    REQUIRE(fake::entered == std::vector{callers_own});
    auto const calls = fake::the_machine().calls;
    std::set<std::string> const entries(calls.begin(), calls.end());

    unsigned const codes[] = {2, 719, 999};
    int pairs = 0, thrown = 0, told = 0, right = 0, wrong = 0;
    for (std::size_t k = 0; k < calls.size(); ++k) {
        for (bool const after : {false, true}) {
            // Only what gives back may have done so and still tell of an error.
            if (after && !is_release(calls[k])) continue;
            fake::fault const fault{
                .at = static_cast<long>(k), .code = codes[k % 3], .after = after};
            outcome const day = day_with(fault);
            std::string const said = complaint(day, fault);
            CHECK_MESSAGE(said.empty(), k << ", " << calls[k] << ": " << said);
            wrong += !said.empty();
            ++(day.thrown ? thrown : !day.told.empty() ? told : right);
            ++pairs;

            clean(); // of what was told to be lost
            outcome const next = day_with({});
            CHECK(next.right);
            CHECK(!next.thrown);
            CHECK(fake::the_machine().objects.empty());
        }
    }
    CHECK(calls.size() >= 500);
    CHECK(entries.size() == abi::table::size + 1u); // and the one that finds them
    std::cout << "figure: cuda.faults: " << calls.size() << " calls of " << entries.size()
              << " entries fail, " << pairs << " faults: " << thrown << " errors thrown, " << told
              << " losses told, " << right << " results right all the same, " << wrong
              << " wrong\n";
}
