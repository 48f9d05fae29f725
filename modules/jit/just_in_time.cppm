// Images of kernels that are compiled when they are asked for, and kept.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

export module spio.jit:just_in_time;

import spio.cache;
import spio.image;
import spio.spec;
import :nvrtc;

export namespace spio::jit {

// Thread-safe; only what is for a chip is compiled.
class just_in_time {
  public:
    // Keeps images where the environment says. NVRTC is looked for when an image is first asked
    // for, and opened when one is first compiled; if there is none, that throws.
    just_in_time();
    // The same, kept there; or compiled by this one, if it is not null. They must stay.
    explicit just_in_time(cache::store& in, nvrtc const* by = nullptr) : opened(by), kept(&in) {}
    just_in_time(nvrtc const& by, cache::store& in) : just_in_time(in, &by) {}

    std::optional<image> find(spec const&) const;
    // Whether find() has it without compiling.
    bool is_kept(spec const&) const;
    cache::counters count() const { return kept->count(); }

  private:
    std::unique_ptr<cache::store> own_store;
    mutable std::mutex mutex;
    mutable std::optional<nvrtc_file> file; // the one that compiles
    mutable std::vector<std::filesystem::path> unusable;
    mutable std::unique_ptr<nvrtc const> own_compiler;
    mutable nvrtc const* opened = nullptr;
    cache::store* kept;

    // The file that was to compile could not be opened; there is another.
    struct another_file {};

    image find_by(std::string const& build, spec const&) const;
    std::string build_id() const;
    nvrtc const& compiler(std::string const& build) const;
};

} // namespace spio::jit
