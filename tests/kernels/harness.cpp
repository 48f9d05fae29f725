// Tests of what runs tests of kernels: which mistakes it notices, on a device of plain memory.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// New memory is full of bytes 0xff, the poison. expect() complains if a condition does not hold,
// and same_bits() keeps outputs that must be the same on all devices. Complaints show 4 bytes as a
// float too: 0x16 is 3.08285662e-44. The plan of a tensor map says all but its address.
// expect_within(name, number, got, exact, bound) complains if an element of an array is too far
// from the exact one.
#include "rounding.h"
#include "run.h"

#include <doctest/doctest.h>

namespace {

using namespace spio::test;

// A device whose memory is that of the process, and which runs a kernel by one call.
class plain_device : public device {
  public:
    std::string name() const override { return "plain"; }
    void* allocate(std::string const&, std::size_t bytes) override {
        return std::memset(::operator new(bytes), 0xff, bytes);
    }
    void release(void* begin) override { ::operator delete(begin); }
    void write(void* destination, void const* source, std::size_t bytes) override {
        std::memcpy(destination, source, bytes);
    }
    void read(void* destination, void const* source, std::size_t bytes) override {
        std::memcpy(destination, source, bytes);
    }
    spio::tensor_map_words encode(spio::tensor_map_plan const&, void*) override { return {}; }
    void launch(launch_request const& request) override { request.each_thread(); }
};

struct params {
    int* output;
    int value;
};
void store(params p) { *p.output = p.value; }
[[noreturn]] void crash(params) { throw failure("the device is gone"); }

// What the case below stores. It expects 0x17, so that any other number is a mistake.
int stored = 0;
// A case whose kernel stores a number: memory has poison before, which is -1, and the number after.
void stores(trial& trial) {
    auto const output = trial.make<int>("output", 1);
    trial.expect(output.read()[0] == -1, "memory is full of poison");
    trial.launch(kernel{"store", store}, /*shape=*/{}, {output.data(), stored});
    trial.same_bits("output", output.read());
    trial.expect_equal("output", output.read(), {0x17});
}

test_case const stores_case("stores", stores);
test_case const stops_case("stops", [](trial& trial) {
    trial.launch(kernel{"crash", crash}, /*shape=*/{}, /*params=*/{});
});
test_case const silent_case("silent", [](trial&) {});

TEST_CASE("a wrong value fails the case, and the complaint has its bits") {
    plain_device device;
    stored = 0x16;
    auto const found = run_on(device, stores_case, effort::all);
    CHECK(found.failed == 1);
    CHECK(found.complaints ==
          std::vector<std::string>{"output[0] is 0x00000016 (3.08285662e-44), not "
                                   "0x00000017 (3.22298647e-44)"});
}

TEST_CASE("outputs are compared bit by bit") {
    plain_device device;
    stored = 0x17;
    auto const expected = run_on(device, stores_case, effort::all);
    CHECK(expected.failed == 0);
    auto same = run_on(device, stores_case, effort::all);
    same.compare(expected, "before");
    CHECK(same.failed == 0);
    stored = 0x16;
    auto other = run_on(device, stores_case, effort::all);
    other.compare(expected, "before");
    CHECK(other.failed == 2); // as a wrong value, and as another output than before
    CHECK(other.complaints.back().starts_with(
        "not as before: 1 elements have other bits: output[0]"));
    outcome none;
    none.compare(expected, "before");
    CHECK(none.complaints == std::vector<std::string>{"not as before: 0 outputs, not 1"});
}

TEST_CASE("a case that stops, or expects nothing, fails") {
    plain_device device;
    CHECK(run_on(device, stops_case, effort::all).complaints ==
          std::vector<std::string>{"the device is gone"});
    CHECK(run_on(device, silent_case, effort::all).failed == 1);
}

TEST_CASE(
    "the bound of a sum of products holds for its rounding, and expect_within() for a bound") {
    sum_of_products sum;
    float in_float = 0;
    for (int i = 1; i <= 1000; ++i) {
        float const a = 1.0f / static_cast<float>(i);
        sum.add(a, 0.3f);
        in_float += a * 0.3f;
    }
    CHECK(std::abs(in_float - sum.value()) <= sum.bound());
    CHECK(sum.bound() < 2e-4);
    // The last rounding counts: bfloat16 has 3 bits less than half, which make it 8 times as large.
    CHECK(sum.bound(to_half) > sum.bound(to_bfloat16) / 16);
    plain_device device;
    trial trial(device, effort::all);
    trial.expect_within("sum", 0, 1.0, 1.25, 0.25);
    CHECK(trial.failed() == 0);
    trial.expect_within("sum", 0, 1.0, 1.5, 0.25);
    trial.expect_within("sum", 0, std::nan(""), 1.0, 0.25);
    CHECK(trial.failed() == 2);
}

} // namespace
