// Compiles the text of a specialization with the text of all kernels, and keeps what comes of it.
// SPDX-License-Identifier: Apache-2.0
//
// A specialization (spec) is what a kernel is compiled from, an image a compiled kernel. The cache
// keeps images on disk as entries, by a key: a digest of all that they depend on. The build id of
// an NVRTC tells its file from any other build. kept() looks for an image on disk; compile() makes
// one, once for all threads and processes that ask for it. NVRTC is opened by the first compilation
// alone, since that takes time.
module;

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
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
import spio.system;
import spio.text;

namespace spio::jit {

namespace {

// Whether NVRTC compiles for this architecture: it makes cubins, which need a chip, not PTX.
bool is_compiled_for(arch arch) { return arch.number > 0 && !arch.is_ptx; }

// Digests of the headers of families, which are read once: 200 KB take a millisecond. A family's
// headers are constants, so texts at the same places with the same lengths are the same texts.
struct known_headers {
    using places = std::vector<std::pair<char const*, std::size_t>>;
    fork_safe_mutex mutex;
    std::map<places, cache::digest> digests;
};
known_headers& all_known_headers() {
    static auto& headers = *new known_headers; // never destroyed: static objects may ask for it
    return headers;
}

// The digest of all headers that a kernel may include. That of Spio's own kernel text was computed
// when the library was built; the headers of the kernel's family are added to it.
cache::digest digest_of_headers(spec const& kernel) {
    known_headers::places places;
    for (auto const& header : kernel.headers) {
        places.emplace_back(header.name.data(), header.name.size());
        places.emplace_back(header.text.data(), header.text.size());
    }
    auto& known = all_known_headers();
    {
        std::lock_guard const lock(known.mutex);
        auto const found = known.digests.find(places);
        if (found != known.digests.end()) return found->second;
    }
    std::vector<cache::named_text> texts = {{"kernel text", kernel_text_digest()}};
    for (auto const& header : kernel.headers) texts.push_back({header.name, header.text});
    auto const digest = cache::digest_of(texts);
    std::lock_guard const lock(known.mutex);
    known.digests.emplace(std::move(places), digest);
    return digest;
}

// The cache's key of a kernel: what NVRTC compiles it from, and which NVRTC.
cache::key key_of(std::string const& build, spec const& kernel,
                  std::vector<std::string> const& options) {
    return cache::key_of({.source = kernel.source,
                          .headers = digest_of_headers(kernel),
                          .options = options,
                          .nvrtc_build = build,
                          .arch = text_of(kernel.arch)});
}

// Compiles a kernel, and returns it in the form that the cache keeps.
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

// The image of a compiled kernel; it keeps the entry alive.
image image_of(spec const& kernel, std::shared_ptr<cache::entry const> entry, std::string made_by,
               origin found) {
    auto const bytes = std::as_bytes(std::span(entry->cubin));
    return {.symbol = kernel.symbol,
            .line = kernel.line(),
            .arch = kernel.arch,
            .made_by = std::move(made_by),
            .kind = image_kind::cubin,
            .bytes = bytes,
            .keeper = std::move(entry),
            .shape = kernel.shape,
            .params_bytes = kernel.params_bytes,
            .found = found};
}

} // namespace

just_in_time::just_in_time()
    : own_folders(std::make_unique<cache::folders>()), folders(own_folders.get()) {}

std::optional<image> just_in_time::kept(spec const& kernel) const {
    if (!is_compiled_for(kernel.arch)) return {};
    auto const build = or_no_compiler(kernel, [&] { return build_id(); });
    auto entry = folders->find(key_of(build, kernel, nvrtc_options(text_of(kernel.arch))));
    if (!entry) return {};
    return image_of(kernel, std::move(entry), "the cache in " + folders->path(), origin::disk);
}

std::optional<image> just_in_time::compile(spec const& kernel) const {
    if (!is_compiled_for(kernel.arch)) return {};
    for (;;) {
        try {
            return compile_with(or_no_compiler(kernel, [&] { return build_id(); }), kernel);
        } catch (another_file const&) { // try again with its build id
        }
    }
}

image just_in_time::compile_with(std::string const& build, spec const& kernel) const {
    auto const options = nvrtc_options(text_of(kernel.arch));
    std::string made_by = "the cache in " + folders->path();
    auto const found = folders->compile_once(key_of(build, kernel, options), [&] {
        auto const& tool =
            or_no_compiler(kernel, [&]() -> nvrtc const& { return compiler(build); });
        made_by = "NVRTC " + std::to_string(tool.major()) + "." + std::to_string(tool.minor());
        return jit::compile(tool, kernel, options);
    });
    bool const is_kept = found.origin == cache::origin::disk;
    return image_of(kernel, found.entry, std::move(made_by),
                    is_kept ? origin::disk : origin::compiled);
}

folder_counters just_in_time::count() const {
    auto const [moved_aside, publish_failures, evicted] = folders->count();
    return {moved_aside, publish_failures, evicted};
}

// The build id of the NVRTC that is open, or else of the file that will be opened if a kernel must
// be compiled.
std::string just_in_time::build_id() const {
    std::vector<std::filesystem::path> excluded;
    {
        std::lock_guard const lock(mutex);
        if (opened != nullptr) return opened->build_id();
        if (file) return file->build_id;
        excluded = unusable;
    }
    auto const first = first_nvrtc_file(excluded);
    std::lock_guard const lock(mutex);
    if (!file) file = first;
    return file->build_id;
}

// Opens the NVRTC with this build id. Nothing that is kept on disk waits for that.
void just_in_time::open(std::string const& build) const {
    std::filesystem::path path;
    {
        std::lock_guard const lock(mutex);
        if (opened != nullptr) return;
        if (!file || file->build_id != build) throw another_file();
        path = file->path;
        if (opening_forks && *opening_forks != fork_count()) {
            throw error(error_kind::no_compiler, "open", path.string(),
                        "this process was forked while its parent opened it, so that its loading "
                        "never ends here; call exec after the fork");
        }
        opening_forks = fork_count();
    }
    std::unique_ptr<nvrtc const> fresh;
    try {
        fresh = std::make_unique<nvrtc const>(path);
    } catch (error const&) {
        std::vector<std::filesystem::path> excluded;
        {
            std::lock_guard const lock(mutex);
            opening_forks.reset();
            unusable.push_back(path);
            excluded = unusable;
        }
        auto const next = find_nvrtc_file(excluded).found;
        std::lock_guard const lock(mutex);
        file = next;
        if (next) throw another_file();
        unusable.clear();
        throw;
    }
    std::lock_guard const lock(mutex);
    opening_forks.reset();
    own_compiler = std::move(fresh);
    opened = own_compiler.get();
}

nvrtc const& just_in_time::compiler(std::string const& build) const {
    openings.run("NVRTC", [&] {
        open(build);
        return nullptr;
    });
    std::lock_guard const lock(mutex);
    // The file may have been replaced since its build id was read.
    if (opened->build_id() != build) throw another_file();
    return *opened;
}

} // namespace spio::jit
