// Folders of compiled images, and a lock for each key.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel; its key is a digest of all that the image depends on.
// `owned_` is the user's folder of entries, `shared_` one that is only read. An entry is published
// when its file has got its final name.
module;

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

module spio.cache;

import spio.error;
import spio.system;

namespace spio::cache {

folders::folders(options options) {
    auto& system = options.system == nullptr ? operating_system() : *options.system;
    auto const open = [&](std::optional<disk>& disk, folder found, folder::use use) {
        if (found) {
            disk.emplace(system, std::move(found), use, options.limits, options.log);
        } else {
            refusal_ += (refusal_.empty() ? "" : "; ") + found.refusal();
        }
    };
    open(owned_,
         options.folder.empty() ? folder_of_environment(system)
                                : folder(system, options.folder, folder::use::owned),
         folder::use::owned);
    if (!options.shared_folder.empty()) {
        open(shared_, folder(system, options.shared_folder, folder::use::shared),
             folder::use::shared);
    }
    if (!refusal_.empty()) log_safely(options.log, refusal_);
}

folders::~folders() = default;

std::string folders::path() const { return owned_ ? owned_->path() : std::string(); }

std::string folders::refusal() const { return refusal_; }

counters folders::count() const {
    if (!owned_) return {};
    return {.moved_aside = owned_->moved_aside(),
            .publish_failures = owned_->publish_failures(),
            .evicted = owned_->evicted()};
}

std::shared_ptr<entry const> folders::find(key const& key) {
    std::shared_ptr<entry const> found;
    if (owned_) found = owned_->find(key);
    if (!found && shared_) found = shared_->find(key);
    return found;
}

namespace {

// A compilation of this thread. Locks of files would not stop a thread from waiting for itself.
struct compilation {
    folders const* owner;
    cache::key key;
    friend bool operator==(compilation const&, compilation const&) = default;
};
thread_local std::vector<compilation> compilations;

// Marks a compilation as running in this thread; refuses one that asks for itself.
struct compilation_scope {
    explicit compilation_scope(compilation const& begun) {
        if (std::ranges::find(compilations, begun) != compilations.end()) {
            throw error(error_kind::invalid, "compile", "the key " + hexadecimal(begun.key.value),
                        "its own compilation asks for it");
        }
        compilations.push_back(begun);
    }
    compilation_scope(compilation_scope const&) = delete;
    ~compilation_scope() { compilations.pop_back(); }
};

} // namespace

found folders::compile_once(key const& key, std::function<entry()> const& compile) {
    compilation_scope const scope({this, key});
    auto const lock = owned_ ? owned_->lock(key) : file_lock();
    // Another thread or process may have published the entry since find() looked for it.
    if (auto ready = owned_ ? find(key) : nullptr) return {std::move(ready), origin::disk};
    auto const compiled = std::make_shared<entry const>(compile());
    if (owned_) owned_->publish(key, *compiled);
    return {compiled, origin::compiled};
}

} // namespace spio::cache
