// Boxes loaded with zeros around the images and stored back in part, against plain loops.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// A box is a part of a tensor that TMA copies at once. Images have 13 x 11 pixels. 4 x 3 tiles of 4
// x 8 pixels cover one, with a border of zeros: y has 16 x 24 pixels, from (-1, -1) on. is_small()
// says that small sizes suffice, as --small asks.
#include "box_copy.h"
#include "trial.h"

namespace box_copy = spio::test::box_copy;

extern "C" void box_copy_plain(box_copy::params<0> p);
extern "C" void box_copy_swizzle_32(box_copy::params<32> p);
extern "C" void box_copy_swizzle_64(box_copy::params<64> p);
extern "C" void box_copy_swizzle_128(box_copy::params<128> p);
extern "C" void box_copy_by_producer(box_copy::params<128> p);
extern "C" void bulk_copy(box_copy::bulk_params p);

namespace {

using namespace spio;

// Below 65521, the largest prime of 16 bits.
std::vector<unsigned short> random_values(test::trial& trial, std::size_t size) {
    std::vector<unsigned short> values(size);
    for (auto& value : values) value = static_cast<unsigned short>(trial.random()() % 65521);
    return values;
}
// The buffer as cells of 16 bytes, as the kernel copies them.
box_copy::cell* cells(test::buffer<unsigned short> const& elements) {
    return reinterpret_cast<box_copy::cell*>(elements.data());
}

// Runs a kernel on images of random numbers, and compares y and z with what the loads and stores
// should give.
template <int Span>
void run_boxes(test::trial& trial, test::kernel<box_copy::params<Span>> const& kernel, int threads,
               int images) {
    constexpr int channels = box_copy::channels<Span>;
    std::size_t const pixels = static_cast<std::size_t>(images) * 13 * 11;
    auto const values = random_values(trial, pixels * channels);
    std::vector<unsigned short> expected;
    for (int n = 0; n < images; ++n) {
        for (int h = -1; h < 15; ++h) {
            for (int w = -1; w < 23; ++w) {
                for (int c = 0; c < channels; ++c) {
                    bool const inside = h >= 0 && h < 13 && w >= 0 && w < 11;
                    int const index = ((n * 13 + h) * 11 + w) * channels + c;
                    expected.push_back(inside ? values[static_cast<std::size_t>(index)] : 0);
                }
            }
        }
    }
    // z has x moved by one pixel, with zeros in its first row and column, and all signs flipped.
    std::vector<unsigned short> flipped;
    for (int n = 0; n < images; ++n) {
        for (int h = -1; h < 12; ++h) {
            for (int w = -1; w < 10; ++w) {
                for (int c = 0; c < channels; ++c) {
                    int const index = ((n * 13 + h) * 11 + w) * channels + c;
                    int const value = h < 0 || w < 0 ? 0 : values[static_cast<std::size_t>(index)];
                    flipped.push_back(static_cast<unsigned short>(value ^ 0x8000));
                }
            }
        }
    }

    auto const x = trial.make("x", values);
    auto const y = trial.make<unsigned short>("y", expected.size());
    // compute-sanitizer does not see stores of the copy engine: all of z is initialized here.
    auto const z = trial.make("z", std::vector<unsigned short>(values.size(), 0xffff));
    using map = box_copy::map<Span>;
    auto const plan = map::plan(typename map::global_type::layout_type(box_copy::N(images)));
    auto const x_map = trial.make_map<map>(plan, x.data());
    auto const z_map = trial.make_map<map>(plan, z.data());
    trial.launch(kernel, {images},
                 {.block = {threads}, .shared_bytes = box_copy::shared_bytes<Span>},
                 {.x = x_map, .z = z_map, .y = cells(y), .images = images});
    trial.expect_equal(std::string(kernel.symbol) + ": y", y.read(), expected);
    trial.expect_equal(std::string(kernel.symbol) + ": z", z.read(), flipped);
}

void run(test::trial& trial) {
    int const images = trial.is_small() ? 1 : 5;
    run_boxes<0>(trial, {"box_copy_plain", box_copy_plain}, /*threads=*/64, images);
    run_boxes<32>(trial, {"box_copy_swizzle_32", box_copy_swizzle_32}, /*threads=*/64, images);
    run_boxes<64>(trial, {"box_copy_swizzle_64", box_copy_swizzle_64}, /*threads=*/64, images);
    run_boxes<128>(trial, {"box_copy_swizzle_128", box_copy_swizzle_128}, /*threads=*/64, images);
    run_boxes<128>(trial, {"box_copy_by_producer", box_copy_by_producer}, /*threads=*/256, images);

    auto const values = random_values(trial, box_copy::bulk.size);
    auto const x = trial.make("x", values);
    auto const y = trial.make("y", std::vector<unsigned short>(values.size(), 0xffff));
    trial.launch(test::kernel<box_copy::bulk_params>{"bulk_copy", bulk_copy},
                 {.block = {32}, .shared_bytes = box_copy::bulk_shared_bytes},
                 {cells(x), cells(y)});
    trial.expect_equal("bulk_copy", y.read(), values);
}
test::test_case const box_copy_case("box_copy", run, /*arch=*/90);

} // namespace
