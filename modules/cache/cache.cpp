// Folders in front of the compiler, and a lock for each key.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

module spio.cache;

import spio.system;

namespace spio::cache {

store::store(options options) : log_(std::move(options.log)) {
    auto& system = options.system == nullptr ? operating_system() : *options.system;
    auto const open = [&](std::optional<disk>& disk, folder place, folder::use use) {
        if (place) {
            disk.emplace(system, std::move(place), use, options.limits, log_);
        } else {
            refusal_ += (refusal_.empty() ? "" : "; ") + place.refusal();
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
    if (!refusal_.empty() && log_) log_("cache: " + refusal_);
}

store::~store() = default;

std::string store::path() const { return owned_ ? owned_->path() : std::string(); }

std::string store::refusal() const { return refusal_; }

counters store::count() const {
    counters result = {};
    result.disk = disk_count_;
    result.compiled = compiled_count_;
    if (owned_) {
        result.moved_aside = owned_->moved_aside();
        result.publish_failures = owned_->publish_failures();
        result.evicted = owned_->evicted();
    }
    return result;
}

std::shared_ptr<entry const> store::find(key const& key) {
    std::shared_ptr<entry const> found;
    if (owned_) found = owned_->find(key);
    if (!found && shared_) found = shared_->find(key);
    if (found) ++disk_count_;
    return found;
}

found store::get_or_compile(key const& key, std::function<entry()> const& compile) {
    if (auto ready = find(key)) return {std::move(ready), origin::disk};
    auto const lock = owned_ ? owned_->lock(key) : disk::key_lock();
    // Another thread or process may have published the entry since find() looked for it.
    if (auto ready = owned_ ? find(key) : nullptr) return {std::move(ready), origin::disk};
    auto const compiled = std::make_shared<entry const>(compile());
    ++compiled_count_;
    if (owned_) owned_->publish(key, *compiled);
    return {compiled, origin::compiled};
}

} // namespace spio::cache
