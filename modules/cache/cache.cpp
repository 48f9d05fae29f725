// Memory in front of folders in front of the compiler, and one flight for each key.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

module spio.cache;

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
         how.folder.empty() ? folder::of_environment(system)
                            : folder(system, how.folder, folder::use::mine),
         folder::use::mine);
    if (!how.shared_folder.empty()) {
        open(shared_, folder(system, how.shared_folder, folder::use::shared), folder::use::shared);
    }
    if (!refusal_.empty() && log_) log_("cache: " + refusal_);
}

store::~store() = default;

std::string store::path() const { return mine_ ? mine_->path() : std::string(); }

std::string store::refusal() const { return refusal_; }

counters store::count() const {
    std::scoped_lock const hold(state_);
    auto result = count_;
    if (mine_) {
        result.moved_aside = mine_->moved_aside();
        result.publish_failures = mine_->publish_failures();
        result.evicted = mine_->evicted();
    }
    return result;
}

void store::add(std::uint64_t& events, double& milliseconds, clock::time_point since) {
    std::chrono::duration<double, std::milli> const took = clock::now() - since;
    events++;
    milliseconds += took.count();
}

found store::get_or_compile(key const& of, std::function<entry()> const& compile) {
    auto const since = clock::now();
    std::unique_lock hold(state_);
    if (auto const ready = ready_.find(of); ready != ready_.end()) {
        add(count_.memory, count_.memory_milliseconds, since);
        return {ready->second, origin::memory};
    }
    if (auto const flying = flying_.find(of); flying != flying_.end()) {
        auto const awaited = flying->second;
        landed_.wait(hold, [&] { return awaited->what || awaited->failure; });
        if (awaited->failure) std::rethrow_exception(awaited->failure);
        count_.memory++;
        return {awaited->what, origin::memory};
    }
    auto const own = flying_.emplace(of, std::make_shared<flight>()).first->second;
    hold.unlock();
    try {
        auto const got = fetch(of, compile);
        hold.lock();
        ready_.emplace(of, got.what);
        own->what = got.what;
        flying_.erase(of);
        landed_.notify_all();
        return got;
    } catch (...) {
        if (!hold) hold.lock();
        own->failure = std::current_exception();
        flying_.erase(of);
        landed_.notify_all();
        throw;
    }
}

std::shared_ptr<entry const> store::find(key const& of) {
    {
        std::scoped_lock const hold(state_);
        if (auto const ready = ready_.find(of); ready != ready_.end()) return ready->second;
    }
    return look(of);
}

std::shared_ptr<entry const> store::look(key const& of) {
    auto const since = clock::now();
    std::shared_ptr<entry const> got;
    if (mine_) got = mine_->find(of);
    if (!got && shared_) got = shared_->find(of);
    if (got) {
        std::scoped_lock const hold(state_);
        add(count_.disk, count_.disk_milliseconds, since);
    }
    return got;
}

found store::fetch(key const& of, std::function<entry()> const& compile) {
    if (auto got = look(of)) return {std::move(got), origin::disk};
    auto const lock = mine_ ? mine_->lock(of) : disk::key_lock();
    // Another process may have published it since.
    if (auto got = mine_ ? look(of) : nullptr) return {std::move(got), origin::disk};
    auto const since = clock::now();
    auto const made = std::make_shared<entry const>(compile());
    {
        std::scoped_lock const hold(state_);
        add(count_.compiled, count_.compiled_milliseconds, since);
    }
    if (mine_) mine_->publish(of, *made);
    return {made, origin::compiled};
}

} // namespace spio::cache
