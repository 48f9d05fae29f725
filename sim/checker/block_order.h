// The happens-before order of the blocks of a launch, as far as global memory needs it.
// SPDX-License-Identifier: Apache-2.0
//
// An access happens before another if synchronization orders them. A block releases at a word of
// memory what it has done so far, and a block that later acquires there comes after it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace spio::sim {

// A set of block numbers. Copies share their words until one of them changes.
class block_set {
  public:
    bool contains(long long block) const {
        auto const word = static_cast<std::size_t>(block / 64);
        return words_ && word < words_->size() && ((*words_)[word] >> block % 64 & 1) != 0;
    }
    void insert(long long block) {
        if (contains(block)) return;
        auto const word = static_cast<std::size_t>(block / 64);
        auto& words = own_words(word + 1);
        words[word] |= std::uint64_t{1} << block % 64;
    }
    void join(block_set const& other) {
        if (!other.words_ || other.words_ == words_) return;
        if (!words_) {
            words_ = other.words_;
            return;
        }
        auto& words = own_words(other.words_->size());
        for (std::size_t i = 0; i < other.words_->size(); i++) words[i] |= (*other.words_)[i];
    }

  private:
    using words = std::vector<std::uint64_t>;

    // The words to write to, `count` or more of them: copied first if another set shares them.
    words& own_words(std::size_t count) {
        if (!words_) {
            words_ = std::make_shared<words>();
        } else if (words_.use_count() > 1) {
            words_ = std::make_shared<words>(*words_);
        }
        words_->resize(std::max(words_->size(), count));
        return *words_;
    }
    std::shared_ptr<words> words_;
};

// The blocks that are released at each word of global memory by atomics, for other blocks to
// acquire. The order is kept per block, not per access: everything that a block does counts as
// ordered after the blocks from which it has acquired.
class block_order {
  public:
    // A block writes an atomic word: whoever reads it follows these blocks. acquire() is that read.
    void release(void const* word, block_set const& blocks) {
        std::lock_guard const lock(mutex_);
        released_[word].join(blocks);
    }
    void acquire(void const* word, block_set& blocks) {
        std::lock_guard const lock(mutex_);
        if (auto const position = released_.find(word); position != released_.end()) {
            blocks.join(position->second);
        }
    }

  private:
    std::mutex mutex_;
    std::unordered_map<void const*, block_set> released_;
};

} // namespace spio::sim
