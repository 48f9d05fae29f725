// Compiles the text of a specialization with the text of all kernels, once for each key.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

module spio.jit;

import spio.cache;
import spio.image;
import spio.spec;

namespace spio::jit {

namespace {

cache::digest digest_of(std::span<header const> headers) {
    std::vector<cache::named_text> texts;
    for (auto const& [name, text] : headers) texts.push_back({name, text});
    return cache::digest_of(texts);
}

// What a specialization is compiled with: all kernels, and what its family has of its own.
struct shown {
    std::vector<header> own;
    std::span<header const> headers = kernel_text();
    cache::digest digest;

    explicit shown(spec const& of) {
        static cache::digest const of_all_kernels = digest_of(kernel_text());
        digest = of_all_kernels;
        if (of.headers.empty()) return;
        own.assign(headers.begin(), headers.end());
        own.insert(own.end(), of.headers.begin(), of.headers.end());
        headers = own;
        digest = digest_of(headers);
    }
};

cache::entry compile(nvrtc const& by, spec const& of, std::span<header const> headers,
                     std::vector<std::string> const& options) {
    compiled const made =
        by.compile({.name = of.spelled(), .text = of.source, .headers = headers}, options);
    auto const* const bytes = reinterpret_cast<unsigned char const*>(made.cubin.data());
    return {.symbol = of.symbol,
            .arch = of.arch,
            .parameters = {{0, static_cast<std::uint32_t>(of.params_bytes)}},
            .shared_memory = 0,
            .registers = 0,
            .cubin = {bytes, bytes + made.cubin.size()}};
}

} // namespace

just_in_time::just_in_time() : own_store(std::make_unique<cache::store>()), kept(own_store.get()) {}

std::optional<image> just_in_time::find(spec const& of) const {
    if (!of.arch.starts_with("sm_")) return {};
    auto const& by = compiler();
    auto const options = nvrtc_options(of.arch);
    shown const with(of);
    auto const key = cache::key_of({.source = of.source,
                                    .headers = with.digest,
                                    .options = options,
                                    .nvrtc_major = by.major(),
                                    .nvrtc_minor = by.minor(),
                                    .nvrtc_build = by.build_id(),
                                    .arch = of.arch});
    auto const found =
        kept->get_or_compile(key, [&] { return compile(by, of, with.headers, options); });
    auto made_by = "NVRTC " + std::to_string(by.major()) + "." + std::to_string(by.minor());
    if (found.from == cache::origin::disk) made_by += " by way of " + kept->path();
    return image{.symbol = of.symbol,
                 .line = of.line(),
                 .arch = of.arch,
                 .made_by = std::move(made_by),
                 .kind = image_kind::cubin,
                 .bytes = std::as_bytes(std::span(found.what->cubin)),
                 .keeper = found.what,
                 .shape = of.shape,
                 .params_bytes = of.params_bytes};
}

nvrtc const& just_in_time::compiler() const {
    std::lock_guard const lock(mutex);
    if (opened == nullptr) {
        own_compiler = std::make_unique<nvrtc const>();
        opened = own_compiler.get();
    }
    return *opened;
}

} // namespace spio::jit
