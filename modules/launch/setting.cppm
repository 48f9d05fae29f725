// A setting of the environment, which is read when it is first asked for and then stays.
// SPDX-License-Identifier: Apache-2.0
module;

#include <atomic>

module spio.launch:setting;

namespace spio {

// No lock is held while it is read, which a forked process would find held: of two threads that
// read it at the same time, the first to end decides. A value is a bool or an enumerator.
template <class T> class setting {
  public:
    // Calls reader() where none has returned yet; it may throw.
    template <class Reader> T get(Reader const& reader) {
        int value = known.load(std::memory_order_relaxed);
        if (value != unread) return static_cast<T>(value);
        int const fresh = static_cast<int>(reader());
        return known.compare_exchange_strong(value, fresh) ? static_cast<T>(fresh)
                                                           : static_cast<T>(value);
    }

  private:
    static constexpr int unread = -1;
    std::atomic<int> known = unread;
};

} // namespace spio
