// Each call of a program that uses all functions of CUDA's driver fails once, and is reported.
// SPDX-License-Identifier: Apache-2.0
//
// A fault is the one call of the driver that is made to fail. The fake driver stands for CUDA's: it
// keeps what is behind a handle, as memory and kernels, in plain objects, notes the calls, and can
// fail any. expect(fault) forgets what was noted, and sets the next fault; {} is none. spio.cuda
// has a class for each kind of the driver's handles. Its errors say what was `tried`, of which
// subject, and the reason. Destructors do not throw: they pass errors, as losses, to a function
// that the driver was given. compare_with_record() compares lines with those of a file, or writes
// it.
#include "tests/spec/recorded.h"

#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <optional>
#include <regex>
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

constexpr int n = 64; // elements of a vector

// The parameters of the fake driver's kernels, which compute y = a x + b y.
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

// The bytes of a compiled program as the fake driver reads them: the names of its kernels.
std::span<std::byte const> image() {
    static char const text[] = "\177ELFadd_plain add_cluster add_large ";
    return std::as_bytes(std::span(text));
}

// What a run of the program gave: an error, or whether all results are right; and the errors of
// releases, which are reported and not thrown.
struct outcome {
    std::optional<spio::error> thrown;
    bool right = true;
    std::vector<spio::error> told; // to the function that the driver calls for losses

    void expect(bool is_right) { right = right && is_right; }
};

// Loads a kernel, launches it in three ways and checks its sums.
void use(kernel_ref const& kernel, context const& context, outcome& result) {
    // The kernel's properties, before it is loaded in the context and after.
    auto const device = context.device();
    result.expect(kernel.first_parameter(context) == parameter{0, sizeof(addition)});
    kernel.allow_dynamic_shared(100 * 1024, device);
    auto const shared = abi::function_attribute::max_dynamic_shared_bytes;
    result.expect(kernel.attribute(shared, device) == 100 * 1024);
    function_ref const function = kernel.load(context);
    result.expect(function.attribute(abi::function_attribute::registers) == 32);
    result.expect(function.blocks_per_multiprocessor(/*threads=*/256, /*dynamic_shared=*/0) == 8);

    // Objects of each kind, with 3 in all elements of x and y.
    stream const first_stream(context);
    stream const second_stream(context, /*priority=*/-1);
    event const begun(context, timing::on);
    event const done(context, timing::on);
    memory const x(context, n * sizeof(float));
    memory const y(context, n * sizeof(float));
    host_memory const pinned(context, n * sizeof(float));
    auto const floats = reinterpret_cast<float*>(pinned.bytes().data());
    std::fill_n(floats, n, 3.f);

    event_ref(begun).record(first_stream);
    copy(first_stream, x, std::span<std::byte const>(pinned.bytes()));
    copy(first_stream, y, memory_ref(x));
    addition p{2,
               {reinterpret_cast<float*>(x.address()), n},
               1,
               {reinterpret_cast<float*>(y.address()), n}};
    void* parameters[] = {&p};
    // y is 3 and then 9, 15: each launch adds 6
    launch_shape const shape{
        .grid = {8},
        .shape = {
            .block = {256}, .cluster = {2}, .shared_bytes = 99 * 1024, .overlaps_previous = true}};
    launch(function, shape, first_stream, parameters);
    launch(function, {.grid = {8}, .shape = {.block = {256}}}, stream_ref::legacy(context),
           parameters);
    result.expect(active_clusters(function, shape, first_stream) == 16);
    event_ref(done).record(first_stream);
    stream_ref(second_stream).wait(done);
    {
        // Other threads may capture a stream meanwhile: this thread's calls are allowed all the
        // same.
        capture_exemption const exempt(context_ref(context).driver());
        result.expect(event_ref(done).is_done() && first_stream.is_done());
    }
    event_ref(done).synchronize();
    result.expect(event_ref(done).milliseconds_since(begun) == 0.5f);

    // The captured launch does not run; the graph is launched twice: 15, and 6 more by each.
    result.expect(stream_ref(second_stream).capture() == abi::capture_status::none);
    begin_capture(second_stream);
    result.expect(stream_ref(second_stream).capture() == abi::capture_status::active);
    launch(function, {.grid = {8}, .shape = {.block = {256}}}, second_stream, parameters);
    {
        executable_graph const graph(end_capture(second_stream));
        graph.launch(second_stream);
        graph.launch(second_stream);
    }
    copy(second_stream, pinned.bytes(), memory_ref(y));
    stream_ref(second_stream).synchronize();
    context.synchronize();
    result.expect(std::all_of(floats, floats + n, [](float f) { return f == 27.f; }));

    // Fills by bytes and by words, read back from a part of the memory.
    fill(first_stream, memory_ref(y).part(0, 8), std::byte(1));
    fill_words(first_stream, memory_ref(y).part(8, 8), 0x02020202);
    copy(first_stream, pinned.bytes().first(16), memory_ref(y).part(0, 16));
    first_stream.synchronize();
    char const expected[] = "\1\1\1\1\1\1\1\1\2\2\2\2\2\2\2";
    result.expect(std::memcmp(floats, expected, 15) == 0);

    // A stream by its handle alone, as another library would pass it; and a tensor map.
    auto const foreign = stream_ref::of(kernel.driver(), stream_ref(first_stream).handle());
    result.expect(foreign.context().device().ordinal() == device.ordinal());
    auto const owner = kernel.driver().owner(memory_ref(y).address());
    result.expect(owner && owner->ordinal() == device.ordinal());
    tensor_map_plan const box{
        .rank = 2, .element_bytes = 4, .sizes = {8, 8}, .strides = {4, 32}, .box = {8, 4}};
    tensor_map_words const map = encode(context, box, y);
    result.expect(map.words[0] == y.address() && map.words[3] == 32 && map.words[5] == 4);
}

// The whole program: every function of the driver is called at least once.
void call_every_entry(outcome& result) {
    driver const driver(fake::find, [&](spio::error const& e) { result.told.push_back(e); });
    result.expect(driver.version() == 13000 && driver.device_count() == 2);
    library const library(driver, image(), "additions");
    // A kernel that the image lacks is reported even if the driver cannot describe the error.
    try {
        library.kernel("subtraction");
        result.expect(false);
    } catch (spio::error const& e) {
        if (e.code() != static_cast<int>(abi::result::not_found)) throw;
        result.expect(e.tried() == "cuLibraryGetKernel");
    }
    std::vector<context> contexts;
    for (int ordinal = 0; ordinal < 2; ++ordinal) {
        auto const device = driver.device(ordinal);
        result.expect(device.name() == "Fake " + std::to_string(ordinal));
        result.expect(device.uuid()[15] == ordinal + 1);
        result.expect(device.capability() == capability{9, 0} && device.memory_bytes() == 1 << 30);
        contexts.emplace_back(device);
        result.expect(context_ref(contexts.back()).memory().total == 2);
    }
    for (auto const& context : contexts) {
        for (auto symbol : {"add_plain", "add_cluster", "add_large"}) {
            use(library.kernel(symbol), context, result);
        }
    }
}

// The context that the caller has entered before, and that must be current again afterwards.
constexpr std::uintptr_t callers_own = 1;

// Runs the program on a fresh fake machine on which one call fails.
outcome outcome_of(fake::fault fault) {
    outcome result;
    fake::the_machine().expect(fault);
    fake::entered = {callers_own};
    try {
        call_every_entry(result);
    } catch (spio::error const& e) {
        result.thrown = e;
    }
    return result;
}

// Whether a function of the driver gives something back: its failure is reported, since destructors
// throw nothing.
bool is_release(std::string const& entry) {
    static std::regex const releases("cu.*(Release|PopCurrent|Unload|Free|FreeHost|Destroy)");
    return std::regex_match(entry, releases);
}

// Whether the error is of this driver function and has this code.
bool names(spio::error const& e, std::string const& entry, unsigned code) {
    return e.tried() == entry && e.code() == static_cast<int>(code) &&
           e.kind() == error_kind::device && !e.subject().empty() && !e.reason().empty();
}

// What is wrong with a run that had this fault, as an error that does not name the call; or empty.
std::string complaint(outcome const& result, fake::fault fault) {
    auto const& gpus = fake::the_machine();
    std::string const entry = gpus.failed ? gpus.failed : "nothing";
    bool const lost = is_release(entry) && !fault.has_effect;
    if (result.thrown && !names(*result.thrown, entry, fault.code))
        return "thrown: " + std::string(result.thrown->what());
    for (auto const& e : result.told) {
        if (!names(e, entry, fault.code)) return "told: " + std::string(e.what());
    }
    if (!result.thrown && !result.right) return "wrong sums";
    if (is_release(entry) && result.told.size() != 1) return "not told of the loss";
    if (!is_release(entry) && !result.told.empty()) return "told of a loss that is none";
    // An object whose release failed is left, and no other.
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

// Addresses differ from run to run.
std::string masked(std::string const& words) {
    return std::regex_replace(words, std::regex("[0-9]{6,}"), "ADDRESS");
}

// Removes what a failed call has left in the fake driver.
void clean() {
    auto& gpus = fake::the_machine();
    gpus.objects.clear();
    std::ranges::fill(gpus.retained, 0);
    fake::capture_mode = 0;
}

} // namespace

TEST_CASE("each call of the driver fails once") {
    outcome const faultless = outcome_of({});
    if (faultless.thrown) FAIL(faultless.thrown->what());
    REQUIRE(faultless.right);
    REQUIRE(faultless.told.empty());
    REQUIRE(fake::the_machine().objects.empty());
    REQUIRE(fake::entered == std::vector{callers_own});
    auto const calls = fake::the_machine().calls;
    std::set<std::string> const entries(calls.begin(), calls.end());

    unsigned const codes[] = {2, 719, 999}; // out of memory, launch failed, unknown
    int pairs = 0, thrown = 0, told = 0, right = 0, wrong = 0;
    std::set<std::string> words; // of each error
    for (std::size_t call = 0; call < calls.size(); ++call) {
        for (bool const has_effect : {false, true}) {
            // Only a release may take effect and fail all the same.
            if (has_effect && !is_release(calls[call])) continue;
            fake::fault const fault{
                .call = static_cast<long>(call), .code = codes[call % 3], .has_effect = has_effect};
            outcome const result = outcome_of(fault);
            std::string const message = complaint(result, fault);
            if (result.thrown) words.insert(masked(result.thrown->what()));
            for (auto const& e : result.told) words.insert("told: " + masked(e.what()));
            CHECK_MESSAGE(message.empty(),
                          call << ", " << std::string(calls[call]) << ": " << message);
            wrong += !message.empty();
            ++(result.thrown ? thrown : !result.told.empty() ? told : right);
            ++pairs;

            clean(); // removes the object whose release failed
            outcome const next = outcome_of({});
            CHECK(next.right);
            CHECK(!next.thrown);
            CHECK(fake::the_machine().objects.empty());
        }
    }
    spio::test::compare_with_record({words.begin(), words.end()}, SPIO_CUDA_ERRORS,
                                    "SPIO_RECORD_CUDA_ERRORS");
    CHECK(calls.size() >= 500);                     // else too little was tested
    CHECK(entries.size() == abi::table::size + 1u); // and cuGetProcAddress
    std::cout << "summary: cuda.faults: " << calls.size() << " calls of " << entries.size()
              << " entries fail, " << pairs << " faults: " << thrown << " errors thrown, " << told
              << " losses reported, " << right << " results right all the same, " << wrong
              << " wrong\n";
}
