// What a thread has seen of the others: which of their moments lie before its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace spio::sim {

// A thread's time goes on with everything that it tells others. The copy engine counts as some more
// threads.
using moment = unsigned;

// Since the block last met as a whole. Shared by all who have seen the same, and copied when one of
// them sees more.
class vision {
  public:
    bool has_seen(int thread, moment when) const {
        return seen_ && (*seen_)[static_cast<std::size_t>(thread)] >= when;
    }
    bool is_same(vision const& other) const { return seen_ == other.seen_; }

    void join(vision const& other) {
        if (!other.seen_ || other.seen_ == seen_) return;
        if (!seen_) {
            seen_ = other.seen_;
            return;
        }
        own();
        for (std::size_t i = 0; i < seen_->size(); i++) {
            (*seen_)[i] = std::max((*seen_)[i], (*other.seen_)[i]);
        }
    }
    void see(int thread, moment when, int threads) {
        if (!seen_) {
            seen_ = std::make_shared<std::vector<moment>>(static_cast<std::size_t>(threads), 0U);
        }
        own();
        auto& known = (*seen_)[static_cast<std::size_t>(thread)];
        known = std::max(known, when);
    }

  private:
    void own() {
        if (seen_.use_count() > 1) seen_ = std::make_shared<std::vector<moment>>(*seen_);
    }
    std::shared_ptr<std::vector<moment>> seen_;
};

// What those who come to a meeting know together.
class gathering {
  public:
    void add(int thread, moment when, vision const& seen, int threads) {
        if (!seen.is_same(last_)) {
            all_.join(seen);
            last_ = seen;
        }
        all_.see(thread, when, threads);
    }
    vision const& all() const { return all_; }
    void clear() { all_ = last_ = {}; }

  private:
    vision all_, last_;
};

} // namespace spio::sim
