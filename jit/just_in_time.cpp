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

// Whether NVRTC compiles for this architecture: it makes cubins, which need a chip, not PTX.
bool is_compiled_for(arch arch) { return arch.number > 0 && !arch.is_ptx; }

// The digest of all headers that a kernel may include. That of Spio's own kernel text was computed
// when the library was built; the headers of the kernel's family are added to it.
cache::digest digest_of_headers(spec const& kernel) {
    std::vector<cache::named_text> texts = {{"kernel text", kernel_text_digest()}};
    for (auto const& [name, text] : kernel.headers) texts.push_back({name, text});
    return cache::digest_of(texts);
}

cache::key key_of(std::string const& build, spec const& kernel,
                  std::vector<std::string> const& options) {
    return cache::key_of({.source = kernel.source,
                          .headers = digest_of_headers(kernel),
                          .options = options,
                          .nvrtc_build = build,
                          .arch = text_of(kernel.arch)});
}

cache::entry compile(nvrtc const& compiler, spec const& kernel,
                     std::vector<std::string> const& options) {
    auto const headers = headers_of(kernel);
    compiled const compiled_kernel = compiler.compile(
        {.name = kernel.spelled(), .text = kernel.source, .headers = headers}, options);
    auto const* const bytes = reinterpret_cast<unsigned char const*>(compiled_kernel.cubin.data());
    return {.symbol = kernel.symbol,
            .arch = text_of(kernel.arch),
            .parameters = {{0, static_cast<std::uint32_t>(kernel.params_bytes)}},
            .cubin = {bytes, bytes + compiled_kernel.cubin.size()}};
}

// Calls f, which looks for NVRTC or opens it, and turns its failure into a no_compiler error.
template <class F> decltype(auto) or_no_compiler(spec const& kernel, F f) {
    try {
        return f();
    } catch (error const& e) {
        throw no_compiler_error(kernel, e.what());
    }
}

} // namespace

just_in_time::just_in_time()
    : own_store(std::make_unique<cache::store>()), store(own_store.get()) {}

std::optional<image> just_in_time::find(spec const& kernel) const {
    if (!is_compiled_for(kernel.arch)) return {};
    for (;;) {
        try {
            return find_with(or_no_compiler(kernel, [&] { return build_id(); }), kernel);
        } catch (another_file const&) { // try again with its build id
        }
    }
}

image just_in_time::find_with(std::string const& build, spec const& kernel) const {
    auto const options = nvrtc_options(text_of(kernel.arch));
    auto const key = key_of(build, kernel, options);
    std::string made_by = "the cache in " + store->path();
    auto const found = store->get_or_compile(key, [&] {
        auto const& tool =
            or_no_compiler(kernel, [&]() -> nvrtc const& { return compiler(build); });
        made_by = "NVRTC " + std::to_string(tool.major()) + "." + std::to_string(tool.minor());
        return compile(tool, kernel, options);
    });
    return {.symbol = kernel.symbol,
            .line = kernel.line(),
            .arch = kernel.arch,
            .made_by = std::move(made_by),
            .kind = image_kind::cubin,
            .bytes = std::as_bytes(std::span(found.entry->cubin)),
            .keeper = found.entry,
            .shape = kernel.shape,
            .params_bytes = kernel.params_bytes,
            .found = found.origin == cache::origin::disk ? origin::disk : origin::compiled};
}

bool just_in_time::is_kept(spec const& kernel) const {
    if (!is_compiled_for(kernel.arch)) return false;
    return store->find(key_of(build_id(), kernel, nvrtc_options(text_of(kernel.arch)))) != nullptr;
}

// The build id of the NVRTC file that will be opened if a kernel must be compiled.
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
    // The file may have been replaced since its build id was read.
    if (opened->build_id() != build) throw another_file();
    return *opened;
}

} // namespace spio::jit
