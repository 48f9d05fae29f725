// wgmma: a warpgroup computes sums from shared memory, when one of its warps waits for them.
// SPDX-License-Identifier: Apache-2.0
//
// A product is one wgmma instruction, whose factors are named by matrix descriptors: addresses and
// distances of lines in shared memory. A collective is an operation that the lanes of a warp
// perform together, once all have arrived with their arguments. A misuse breaks a rule of the GPU
// and ends the launch. `running` is the simulated thread that this OS thread runs now.
// shared_offset() is the offset of an address in shared memory, access_shared() checks an access
// there, and count_change_by() tells the scheduler that something has changed for which others may
// wait.
#include "machine/wgmma.h"

#include "sim/checker/diagnostic.h"
#include "sim/checker/happens_before.h"
#include "sim/checker/memory_checker.h"
#include "sim/scheduler/scheduler.h"
#include "sim/tensor_sum.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace spio::sim {

constexpr int depth = 16; // of a product
constexpr int cell_elements = 8;
constexpr int cell_bytes = 16;

// A factor as its descriptor says: lines of 32, 64 or 128 bytes, in groups of 8 lines. The fields
// of the 64 bits are those of PTX's matrix descriptor: the start address in bits 0 to 13, the
// leading offset in bits 16 to 29, the stride offset in bits 32 to 45, the swizzle in 62 and 63.
class described_factor {
  public:
    described_factor(unsigned long long descriptor, bool is_transposed)
        : transposed(is_transposed),
          start(field(descriptor, 0)),
          leading(field(descriptor, 16)),
          stride(field(descriptor, 32)),
          swizzle(static_cast<int>(descriptor >> 62)) {}

    bool is_swizzled() const { return swizzle != 0; }
    // The offset in shared memory of the cell of 8 elements that has the element at this row or
    // column of the sum, and at this depth.
    int cell(int outer, int k) const {
        int const line_bytes = 256 >> swizzle; // 128, 64 or 32
        int const line_elements = line_bytes / 2;
        int const column = transposed ? outer % line_elements : k;
        int const line = transposed ? k : outer;
        int const chunk = transposed ? outer / line_elements : 0;
        int const offset = start + chunk * leading + line / 8 * stride + line % 8 * line_bytes +
                           column / cell_elements * cell_bytes;
        // The swizzle: the number of the 128 bytes changes the place of a cell in its line.
        return offset ^ offset / 128 % (line_bytes / cell_bytes) * cell_bytes;
    }
    // The place of an element in its cell.
    int element(int outer, int k) const { return (transposed ? outer : k) % cell_elements; }
    // The rows or columns, and the elements of depth, of a cell.
    int outer_step() const { return transposed ? cell_elements : 1; }
    int depth_step() const { return transposed ? 1 : cell_elements; }

  private:
    // A field of 14 bits, which counts units of 16 bytes, in bytes.
    static int field(unsigned long long descriptor, int first_bit) {
        return static_cast<int>(descriptor >> first_bit & 0x3fff) * 16;
    }
    bool transposed;
    int start, leading, stride; // bytes
    int swizzle;                // 0: none; 1, 2, 3: over lines of 128, 64, 32 bytes
};

// Reads `size` rows or columns of a factor, from `first` on.
template <class Format>
static std::vector<factor> read_factor(gpu_thread& thread, described_factor const& described,
                                       int first, int size) {
    std::vector<factor> factors(static_cast<std::size_t>(size * depth));
    for (int outer = 0; outer < size; outer += described.outer_step()) {
        for (int k = 0; k < depth; k += described.depth_step()) {
            auto& memory = thread.block->shared;
            int const offset = described.cell(first + outer, k);
            char const* const name = "a product of a warpgroup";
            shared_offset(thread, memory.base + offset, cell_bytes, name, cell_bytes);
            access_shared(thread, offset, cell_bytes,
                          {access::read, name, /*alignment=*/cell_bytes});
            for (int i = 0; i < described.outer_step(); i++) {
                for (int j = 0; j < described.depth_step(); j++) {
                    unsigned short bits;
                    int const element = described.element(first + outer + i, k + j);
                    std::memcpy(&bits, memory.base + offset + 2 * element, sizeof bits);
                    factors[static_cast<std::size_t>((outer + i) * depth + k + j)] =
                        factor_of<Format>(bits);
                }
            }
        }
    }
    return factors;
}

// Computes the part of one warp in a product that was started.
template <class Format>
static void compute(gpu_thread& reader, int warp, warp_product const& started) {
    int const columns = 2 * started.count;
    auto const a = read_factor<Format>(
        reader, described_factor(started.a, started.form.transposes_a), 16 * warp, 16);
    auto const b = read_factor<Format>(
        reader, described_factor(started.b, started.form.transposes_b), 0, columns);
    for (int lane = 0; lane < 32; lane++) {
        for (int element = 0; element < started.count; element++) {
            // The element's place in the sum, by wgmma's layout of accumulators.
            int const row = lane / 4 + element / 2 % 2 * 8;
            int const column = element / 4 * 8 + lane % 4 * 2 + element % 2;
            addend products[depth];
            for (int k = 0; k < depth; k++) {
                products[k] = product<Format>(a[static_cast<std::size_t>(row * depth + k)],
                                              b[static_cast<std::size_t>(column * depth + k)]);
            }
            float& sum = started.sums[lane][element];
            sum = hopper_tensor_core.accumulate(started.accumulates ? sum : 0, products, depth);
        }
    }
}

// The products of the thread's warpgroup, and those of its warp.
static warpgroup_products& products_of(gpu_thread const& thread) {
    return thread.block->products[thread.warp() / 4];
}
static warp_products& products_of_warp(gpu_thread const& thread) {
    return products_of(thread).warps[thread.warp() % 4];
}

// What a lane brings: the product, which is the warp's, and its own sums.
struct product_argument {
    warp_product product;
    float* sums;
};

// Starts a product of a warp, for all lanes at once.
static void start_product(collective& collective) {
    auto& thread = *collective.lane_0;
    warp_product started = argument_of<product_argument>(collective, 0).product;
    for (int lane = 0; lane < 32; lane++) {
        auto const& [product, sums] = argument_of<product_argument>(collective, lane);
        if (product.a != started.a || product.b != started.b ||
            product.accumulates != started.accumulates) {
            raise_misuse(thread, misuse::collective_mismatch,
                         "lanes 0 and %d of warp %d start different products of a warpgroup", lane,
                         thread.warp());
        }
        started.sums[lane] = sums;
    }
    for (auto const& [descriptor, is_transposed] :
         {std::pair(started.a, started.form.transposes_a),
          std::pair(started.b, started.form.transposes_b)}) {
        if (described_factor(descriptor, is_transposed).is_swizzled()) continue;
        raise_misuse(thread, misuse::copy_malformed,
                     "a product of a warpgroup whose factor has no swizzle, which the host device "
                     "does not compute");
    }
    products_of_warp(thread).started.push_back(started);
}
static void commit_products(collective& collective) {
    auto& products = products_of_warp(*collective.lane_0);
    products.groups.push_back(std::exchange(products.started, {}));
    count_change_by(*collective.lane_0);
}

// Computes the oldest groups of all warps of a warpgroup. The first lane of the warp that waits
// reads the factors for all.
static void complete_groups(gpu_thread& reader, std::size_t count) {
    auto& products = products_of(reader);
    for (; products.completed < count; products.completed++) {
        for (int warp = 0; warp < 4; warp++) {
            auto& groups = products.warps[warp].groups;
            for (auto const& started : groups.front()) {
                if (started.form.is_half) {
                    compute<half_format>(reader, warp, started);
                } else {
                    compute<bfloat16_format>(reader, warp, started);
                }
            }
            groups.pop_front();
        }
        products.readers.join(clock_of(reader));
    }
}
static void complete_products(collective& collective) {
    complete_groups(*collective.lane_0, argument_of<std::size_t>(collective, 0));
    begin_epoch(*collective.lane_0);
}

constexpr warp_operation fence_operation = {"fence_warpgroup", do_nothing};
constexpr warp_operation product_operation = {"a product of a warpgroup", start_product};
constexpr warp_operation commit_operation = {"commit_warpgroup_products", commit_products};
constexpr warp_operation product_wait_operation = {"wait_for_warpgroup_products",
                                                   complete_products};

void start_warpgroup_product(product_form form, float* c, int count, unsigned long long a,
                             unsigned long long b, bool accumulates) {
    product_argument argument = {
        .product =
            {.form = form, .sums = {}, .count = count, .a = a, .b = b, .accumulates = accumulates},
        .sums = c};
    run_collective(product_operation, all_lanes, &argument);
}

// A group is complete when all four warps have committed it, since they compute it together.
void wait_for_product_groups(int pending) {
    auto& thread = *running;
    auto& products = products_of(thread);
    auto const committed = products.committed(thread.warp() % 4);
    auto count = committed - std::min(committed, static_cast<std::size_t>(pending));
    auto const is_committed = [&] {
        for (int warp = 0; warp < 4; warp++) {
            if (products.committed(warp) < count) return false;
        }
        return true;
    };
    while (!is_committed()) poll("wait_for_warpgroup_products");
    run_collective(product_wait_operation, all_lanes, &count);
    acquire(thread, products.readers);
}

} // namespace spio::sim

namespace spio::machine {

void fence_warpgroup() {
    sim::run_collective(sim::fence_operation, sim::all_lanes, /*argument=*/nullptr);
}
void commit_warpgroup_products() {
    sim::run_collective(sim::commit_operation, sim::all_lanes, /*argument=*/nullptr);
}

} // namespace spio::machine
