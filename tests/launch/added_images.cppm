// A source of images (compiled kernels) that returns those that were added to it.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from.
module;

#include <optional>
#include <string>
#include <utility>
#include <vector>

export module spio.added_images;

import spio.image;
import spio.spec;

export namespace spio {

class added_images {
  public:
    void add(image image) { images.push_back(std::move(image)); }
    std::optional<image> find(spec const& spec) const {
        for (auto const& added : images) {
            if (added.symbol == spec.symbol && added.arch == spec.arch) return added;
        }
        return {};
    }

  private:
    std::vector<image> images;
};

} // namespace spio
