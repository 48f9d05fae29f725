// Shadow memory of global memory: the block that last wrote each two bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace spio::sim {

class block_set;

namespace global_shadow {

// A block of some launch, writing plainly or atomically. 0: no kernel has written.
using writer = std::uint32_t;

// The writers of one launch. Blocks write one by one in each launch, so that a writer that is not
// in the range belongs to an earlier launch, which happened before.
class writer_range {
  public:
    writer_range() = default;
    // Takes numbers that no launch has had. The range is empty if too few are left.
    explicit writer_range(long long blocks);

    bool is_empty() const { return count_ == 0; }
    bool contains(writer writer) const { return writer - first_ < count_; }
    writer number(long long block, bool is_atomic) const {
        return first_ + 2 * static_cast<std::uint32_t>(block) + (is_atomic ? 1 : 0);
    }
    long long block_of(writer writer) const { return (writer - first_) / 2; }
    bool is_atomic(writer writer) const { return (writer - first_) % 2 != 0; }

  private:
    writer first_ = 0;
    std::uint32_t count_ = 0;
};

// Who accesses: a block, and the blocks that happened before.
struct block_accessor {
    writer_range const& range;
    long long block;
    block_set const& predecessors;
};
struct conflict {
    std::ptrdiff_t byte; // of the access
    long long block;     // that wrote it
    bool is_atomic;
};
// A write by another block of the launch that nothing orders with this access.
std::optional<conflict> check_read(block_accessor const&, void const* address, std::size_t bytes,
                                   bool is_atomic);
// The same for a write, which is recorded.
std::optional<conflict> add_write(block_accessor const&, void const* address, std::size_t bytes,
                                  bool is_atomic);
// Whether a kernel has written any of the bytes.
bool has_writer(void const* address, std::size_t bytes);

// Forgets the writers of memory that is released.
void clear(void const* begin, std::size_t bytes);

} // namespace global_shadow

} // namespace spio::sim
