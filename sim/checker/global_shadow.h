// Shadow memory of global memory: for each two bytes, the block that last wrote them.
// SPDX-License-Identifier: Apache-2.0
//
// The simulated GPU looks for races: two accesses to the same bytes by different blocks, one of
// them a write, that nothing orders. Shadow memory has an entry for each two bytes of global
// memory. A block acquires what another has released; its predecessors are the blocks whose work is
// then ordered before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace spio::sim {

class block_set;

namespace global_shadow {

// Identifies a block of some launch, and whether it writes plainly or atomically. 0 means that no
// kernel has written the bytes.
using writer = std::uint32_t;
// Some block of some launch: one of the two bytes was written without the other, so that no block
// wrote both. No launch has this number.
inline constexpr writer unattributed = 0xffffffff;

// The writer numbers of one launch, two for each block: one for plain writes and one for atomics.
// No two launches share a number, so a writer outside the range belongs to another launch, which is
// taken to have happened before.
class writer_range {
  public:
    writer_range() = default;
    // Takes numbers for `blocks` blocks that no launch has used. The range is empty if too few are
    // left.
    explicit writer_range(long long blocks);

    bool is_empty() const { return count_ == 0; }
    bool contains(writer writer) const { return writer - first_ < count_; }
    // The writer that stands for plain or for atomic writes of a block.
    writer number(long long block, bool is_atomic) const {
        return first_ + 2 * static_cast<std::uint32_t>(block) + (is_atomic ? 1 : 0);
    }
    long long block_of(writer writer) const { return (writer - first_) / 2; }
    bool is_atomic(writer writer) const { return (writer - first_) % 2 != 0; }

  private:
    writer first_ = 0;
    std::uint32_t count_ = 0;
};

// The block that makes an access, and the blocks that happened before it.
struct block_accessor {
    writer_range const& range;
    long long block;
    block_set const& predecessors;
};
struct conflict {
    std::ptrdiff_t byte; // offset in bytes from the start of the access
    long long block;     // the other block, which wrote the byte
    bool is_atomic;
};
// Checks a read: returns a write by another block of the launch to the same bytes that is not
// ordered with the read, or nothing if there is none. An access of an odd number of bytes, or at an
// odd address, is not checked.
std::optional<conflict> check_read(block_accessor const&, void const* address, std::size_t bytes,
                                   bool is_atomic);
// Checks a write in the same way, and records it if there is no conflict.
std::optional<conflict> add_write(block_accessor const&, void const* address, std::size_t bytes,
                                  bool is_atomic);
// Whether a kernel has written any of the bytes, or of those that share an entry with them.
bool has_writer(void const* address, std::size_t bytes);

// Forgets the writers of memory that is released.
void clear(void const* begin, std::size_t bytes);

} // namespace global_shadow

} // namespace spio::sim
