// A folder that nobody else can write to, or the reason why there is none.
// SPDX-License-Identifier: Apache-2.0
module;

#include <string>
#include <utility>

export module spio.cache:folder;

import :system;

export namespace spio::cache {

// An open folder. Every folder above it, and every link on the way, belongs to the user or to root,
// and nobody else can write there; but a folder where all may write, with the sticky bit, may lie
// above one that exists.
class folder {
  public:
    // `mine` is made where it is missing, with all above it, for the user only. `shared` must be
    // there, may be root's, and is only read. `existing` is mine, but is not made.
    enum class use { mine, existing, shared };

    folder() = default;
    folder(system_calls& system, std::string path, use how);
    // $SPIO_CACHE_DIR alone if it is set; else spio in an absolute $XDG_CACHE_HOME, else in
    // $HOME/.cache. None at all if $SPIO_CACHE is off.
    static folder of_environment(system_calls& system, use how = use::mine);

    folder(folder&& from) noexcept;
    folder& operator=(folder&& from) noexcept;
    ~folder();

    explicit operator bool() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    std::string const& path() const { return path_; }
    std::string const& refusal() const { return refusal_; } // a sentence, if there is no folder
    // Whether an `existing` one would be made if it were `mine`.
    bool is_missing() const { return is_missing_; }

  private:
    system_calls* system_ = nullptr;
    int descriptor_ = -1;
    bool is_missing_ = false;
    std::string path_, refusal_;
};

} // namespace spio::cache
