// Short lists that allocate nothing: a first choice of a configuration makes dozens of them.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <array>
#include <cstddef>

module spio.conv2d:few;

namespace spio::conv2d {

// At most eight values.
template <class T> class few {
  public:
    void add(T const& value) { values.at(count++) = value; }
    T const* begin() const { return values.data(); }
    T const* end() const { return values.data() + count; }

  private:
    std::array<T, 8> values;
    std::size_t count = 0;
};
// Numbers without repetition, in the order in which they were added.
class numbers : public few<int> {
  public:
    // Leaves out numbers below 1, and those that were added before.
    void add(int number) {
        if (number > 0 && std::ranges::find(*this, number) == end()) few::add(number);
    }
};

} // namespace spio::conv2d
