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
import spio.text;

namespace spio::jit {

namespace {

// NVRTC makes cubins, which are for chips.
bool is_compiled_for(arch arch) { return arch.number > 0 && !arch.is_ptx; }

// Of all kernel text, which is known since the library was built, and of the family's own headers.
cache::digest digest_of_headers(spec const& of) {
    std::vector<cache::named_text> texts = {{"kernel text", kernel_text_digest()}};
    for (auto const& [name, text] : of.headers) texts.push_back({name, text});
    return cache::digest_of(texts);
}

cache::key key_of(std::string const& build, spec const& of,
                  std::vector<std::string> const& options) {
    return cache::key_of({.source = of.source,
                          .headers = digest_of_headers(of),
                          .options = options,
                          .nvrtc_build = build,
                          .arch = text_of(of.arch)});
}

cache::entry compile(nvrtc const& by, spec const& of, std::vector<std::string> const& options) {
    auto const headers = headers_of(of);
    compiled const made =
        by.compile({.name = of.spelled(), .text = of.source, .headers = headers}, options);
    auto const* const bytes = reinterpret_cast<unsigned char const*>(made.cubin.data());
    return {.symbol = of.symbol,
            .arch = text_of(of.arch),
            .parameters = {{0, static_cast<std::uint32_t>(of.params_bytes)}},
            .cubin = {bytes, bytes + made.cubin.size()}};
}

// f(), which looks for NVRTC or opens it.
template <class F> decltype(auto) or_no_compiler(spec const& of, F f) {
    try {
        return f();
    } catch (error const& e) {
        throw no_compiler_error(of, e.what());
    }
}

} // namespace

just_in_time::just_in_time() : own_store(std::make_unique<cache::store>()), kept(own_store.get()) {}

std::optional<image> just_in_time::find(spec const& of) const {
    if (!is_compiled_for(of.arch)) return {};
    for (;;) {
        try {
            return find_by(or_no_compiler(of, [&] { return build_id(); }), of);
        } catch (another_file const&) { // whose images have other keys
        }
    }
}

image just_in_time::find_by(std::string const& build, spec const& of) const {
    auto const options = nvrtc_options(text_of(of.arch));
    auto const key = key_of(build, of, options);
    std::string made_by = "the cache in " + kept->path();
    auto const found = kept->get_or_compile(key, [&] {
        auto const& by = or_no_compiler(of, [&]() -> nvrtc const& { return compiler(build); });
        made_by = "NVRTC " + std::to_string(by.major()) + "." + std::to_string(by.minor());
        return compile(by, of, options);
    });
    return {.symbol = of.symbol,
            .line = of.line(),
            .arch = of.arch,
            .made_by = std::move(made_by),
            .kind = image_kind::cubin,
            .bytes = std::as_bytes(std::span(found.what->cubin)),
            .keeper = found.what,
            .shape = of.shape,
            .params_bytes = of.params_bytes,
            .found = found.from == cache::origin::disk ? origin::disk : origin::compiled};
}

bool just_in_time::is_kept(spec const& of) const {
    if (!is_compiled_for(of.arch)) return false;
    return kept->find(key_of(build_id(), of, nvrtc_options(text_of(of.arch)))) != nullptr;
}

// That of the file that will be opened if something must be compiled.
std::string just_in_time::build_id() const {
    std::lock_guard const lock(mutex);
    if (opened != nullptr) return opened->build_id();
    if (!file) file = first_nvrtc_file(unusable);
    return file->build_id;
}

nvrtc const& just_in_time::compiler(std::string const& build) const {
    std::lock_guard const lock(mutex);
    if (opened != nullptr) {
        if (opened->build_id() != build) throw another_file();
        return *opened;
    }
    if (!file || file->build_id != build) throw another_file();
    try {
        own_compiler = std::make_unique<nvrtc const>(file->path);
    } catch (error const&) {
        unusable.push_back(file->path);
        file.reset();
        try {
            file = first_nvrtc_file(unusable);
        } catch (error const&) {
            unusable.clear();
        }
        if (!file) throw;
        throw another_file();
    }
    opened = own_compiler.get();
    // The file may have been replaced since it was looked at.
    if (opened->build_id() != build) throw another_file();
    return *opened;
}

} // namespace spio::jit
