// Kernels compiled at run time by NVRTC, and the images that a folder keeps of them.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

export module spio.jit;

export import spio.error;
export import :nvrtc;
import spio.cache;
import spio.image;
import spio.spec;

export namespace spio::jit {

// An image source that compiles. Thread-safe. It makes images for chips only, not PTX.
class just_in_time {
  public:
    // Keeps images in the folder that the environment names. NVRTC is looked for when an image is
    // first asked for, and opened when one is first compiled; if there is no NVRTC, that call
    // throws.
    just_in_time();
    // Keeps images in this store, and compiles with this compiler if it is not null. Both must
    // outlive the object.
    explicit just_in_time(cache::store& images, nvrtc const* compiler = nullptr)
        : opened(compiler), store(&images) {}
    just_in_time(nvrtc const& compiler, cache::store& images) : just_in_time(images, &compiler) {}

    std::optional<image> find(spec const&) const;
    // Whether find() would return an image of this spec without compiling.
    bool is_kept(spec const&) const;
    cache::counters count() const { return store->count(); }

  private:
    std::unique_ptr<cache::store> own_store;
    mutable std::mutex mutex;
    mutable std::optional<nvrtc_file> file; // the NVRTC file that compiles
    mutable std::vector<std::filesystem::path> unusable;
    mutable std::unique_ptr<nvrtc const> own_compiler;
    mutable nvrtc const* opened = nullptr;
    cache::store* store;

    // Thrown if the NVRTC that would compile is not the one whose build id is part of the key.
    struct another_file {};

    image find_with(std::string const& build_id, spec const&) const;
    std::string build_id() const;
    nvrtc const& compiler(std::string const& build_id) const;
};

} // namespace spio::jit
