// Vector clocks: for each thread of a block, the last of its epochs that is known to have ended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace spio::sim {

// A thread begins a new epoch whenever it releases its accesses to other threads.
using epoch_number = unsigned;

// A clock has a component for every observer of a block: each thread, and some more for the loads
// of the TMA engine. A barrier of the whole block resets all clocks, so a clock only orders what
// happened since that barrier. Clocks with equal knowledge share one array of components, which is
// copied when one of the clocks changes.
class vector_clock {
  public:
    // Whether what this observer did in the epoch happened before.
    bool includes(int observer, epoch_number epoch) const {
        return components_ && (*components_)[static_cast<std::size_t>(observer)] >= epoch;
    }
    bool shares_components(vector_clock const& other) const {
        return components_ == other.components_;
    }

    // The maximum of both clocks, component by component.
    void join(vector_clock const& other) {
        if (!other.components_ || other.components_ == components_) return;
        if (!components_) {
            components_ = other.components_;
            return;
        }
        make_unique();
        for (std::size_t i = 0; i < components_->size(); i++) {
            (*components_)[i] = std::max((*components_)[i], (*other.components_)[i]);
        }
    }
    // Raises the component of `observer` to at least `epoch`. `observers` is the number of
    // components.
    void raise(int observer, epoch_number epoch, int observers) {
        if (!components_) {
            components_ = std::make_shared<std::vector<epoch_number>>(
                static_cast<std::size_t>(observers), 0U);
        }
        make_unique();
        auto& component = (*components_)[static_cast<std::size_t>(observer)];
        component = std::max(component, epoch);
    }

  private:
    void make_unique() {
        if (components_.use_count() > 1) {
            components_ = std::make_shared<std::vector<epoch_number>>(*components_);
        }
    }
    std::shared_ptr<std::vector<epoch_number>> components_;
};

// The clock of a synchronization object: it collects what threads release there.
class sync_clock {
  public:
    // Adds what an observer releases: its epoch, and all that its clock knows. `observers` is their
    // number.
    void release(int observer, epoch_number epoch, vector_clock const& clock, int observers) {
        // Threads often share a clock, which need be joined only once.
        if (!clock.shares_components(last_joined_)) {
            joined_.join(clock);
            last_joined_ = clock;
        }
        joined_.raise(observer, epoch, observers);
    }
    vector_clock const& clock() const { return joined_; }
    void reset() { joined_ = last_joined_ = {}; }

  private:
    vector_clock joined_, last_joined_;
};

} // namespace spio::sim
