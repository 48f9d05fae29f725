// Keeps images, and knows which device an image suits.
// SPDX-License-Identifier: Apache-2.0
module;

#include <charconv>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.image;

import spio.spec;

namespace spio {

namespace {

struct arch {
    bool is_text = false;
    int number = 0;     // 90 of sm_90a
    bool alone = false; // sm_90a runs on 9.0 only

    explicit arch(std::string_view name) {
        is_text = name.starts_with("compute_");
        auto const digits = name.substr(name.find('_') + 1);
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
        alone = !digits.empty() && digits.back() == 'a';
    }
};

} // namespace

std::string_view name_of(image_kind kind) {
    switch (kind) {
    case image_kind::cubin:
        return "cubin";
    case image_kind::ptx:
        return "ptx";
    case image_kind::host:
        return "host";
    case image_kind::fatbin:
        return "fatbin";
    }
    return "unknown";
}

std::string_view name_of(origin from) {
    switch (from) {
    case origin::shipped:
        return "shipped";
    case origin::memory:
        return "memory";
    case origin::disk:
        return "disk";
    case origin::compiled:
        return "compiled";
    }
    return "unknown";
}

image image_of_bytes(spec const& of, image_kind kind, std::span<std::byte const> bytes,
                     std::string made_by) {
    auto const kept = std::make_shared<std::vector<std::byte> const>(bytes.begin(), bytes.end());
    return {.symbol = of.symbol,
            .line = of.line(),
            .arch = of.arch,
            .made_by = std::move(made_by),
            .kind = kind,
            .bytes = *kept,
            .keeper = kept,
            .shape = of.shape,
            .params_bytes = of.params_bytes};
}

int suits(std::string_view image_arch, std::string_view device_arch) {
    if (image_arch == device_arch) return 1000;
    if (image_arch == "host" || device_arch == "host") return 0;
    arch const is(image_arch), on(device_arch);
    if (is.number == 0 || on.number < is.number) return 0;
    if (is.alone && is.number != on.number) return 0;
    if (is.is_text) return is.number;
    return is.number / 10 == on.number / 10 ? 500 + is.number : 0;
}

void memory_source::add(image one) {
    std::lock_guard const lock(mutex);
    auto key = std::pair(one.symbol, one.arch);
    images.insert_or_assign(std::move(key), std::move(one));
}

std::optional<image> memory_source::find(spec const& of) const {
    std::lock_guard const lock(mutex);
    auto const found = images.find({of.symbol, of.arch});
    return found == images.end() ? std::nullopt : std::optional(found->second);
}

std::size_t memory_source::size() const {
    std::lock_guard const lock(mutex);
    return images.size();
}

} // namespace spio
