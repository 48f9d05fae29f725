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

store::store(options how) : log_(std::move(how.log)) {
    auto& system = how.system == nullptr ? operating_system() : *how.system;
    auto const open = [&](std::optional<disk>& to, folder where, folder::use use) {
        if (where) {
            to.emplace(system, std::move(where), use, how.within, log_);
        } else {
            refusal_ += (refusal_.empty() ? "" : "; ") + where.refusal();
        }
    };
    open(mine_,
         how.folder.empty() ? folder_of_environment(system)
                            : folder(system, how.folder, folder::use::owned),
         folder::use::owned);
    if (!how.shared_folder.empty()) {
        open(shared_, folder(system, how.shared_folder, folder::use::shared), folder::use::shared);
    }
    if (!refusal_.empty() && log_) log_("cache: " + refusal_);
}

store::~store() = default;

std::string store::path() const { return mine_ ? mine_->path() : std::string(); }

std::string store::refusal() const { return refusal_; }

counters store::count() const {
    counters result = {};
    result.disk = disk_count_;
    result.compiled = compiled_count_;
    if (mine_) {
        result.moved_aside = mine_->moved_aside();
        result.publish_failures = mine_->publish_failures();
        result.evicted = mine_->evicted();
    }
    return result;
}

std::shared_ptr<entry const> store::find(key const& key) {
    std::shared_ptr<entry const> found;
    if (mine_) found = mine_->find(key);
    if (!found && shared_) found = shared_->find(key);
    if (found) ++disk_count_;
    return found;
}

found store::get_or_compile(key const& key, std::function<entry()> const& compile) {
    if (auto ready = find(key)) return {std::move(ready), origin::disk};
    auto const lock = mine_ ? mine_->lock(key) : disk::key_lock();
    // Another thread or process may have published it since.
    if (auto ready = mine_ ? find(key) : nullptr) return {std::move(ready), origin::disk};
    auto const compiled = std::make_shared<entry const>(compile());
    ++compiled_count_;
    if (mine_) mine_->publish(key, *compiled);
    return {compiled, origin::compiled};
}

} // namespace spio::cache
