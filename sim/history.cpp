// Follows the past of every byte from access to access.
// SPDX-License-Identifier: Apache-2.0
#include "sim/history.h"

#include <unordered_map>

namespace spio::sim {

constexpr std::size_t step_count = 1U << 12;
constexpr std::size_t most_entries = 1U << 20;
constexpr int nobody = -1;

void history::open(int bytes) {
    of_byte_.assign(static_cast<std::size_t>(bytes), 0);
    entries_.clear();
    others_.clear();
    steps_.assign(step_count, {});
    first_ = 1;
}

void history::forget() {
    first_ += static_cast<std::uint32_t>(entries_.size());
    entries_.clear();
    others_.clear();
    if (first_ > 1U << 31) open(static_cast<int>(of_byte_.size()));
}

history::conflict history::touch(actor const& who, int offset, int bytes, access how) {
    conflict found;
    std::uint32_t last = 0;
    std::uint32_t then = 0;
    bool known = false;
    for (int i = offset; i < offset + bytes; i++) {
        auto& past = of_byte_[static_cast<std::size_t>(i)];
        std::uint32_t const from = past < first_ ? 0 : past;
        if (!known || from != last) {
            then = follow(from, who, how, found);
            if (found.offset == 0) {
                found.offset = i;
                return found;
            }
            last = from;
            known = true;
        }
        past = then;
    }
    if (entries_.size() > most_entries) compact();
    return found;
}

std::uint32_t history::follow(std::uint32_t from, actor const& who, access how, conflict& found) {
    auto const mixed = (from * 0x9e3779b1U) ^
                       (static_cast<std::uint32_t>(who.number) * 0x85ebca6bU) ^
                       (who.when * 0xc2b2ae35U) ^ static_cast<std::uint32_t>(how);
    auto& step = steps_[(mixed >> 12 ^ mixed) % step_count];
    if (step.to != 0 && step.from == from && step.when == who.when && step.number == who.number &&
        step.how == how && step.to >= first_) {
        return step.to;
    }
    auto const to = next(from, who, how, found);
    if (found.offset < 0) step = {from, to, who.when, who.number, how};
    return to;
}

std::uint32_t history::next(std::uint32_t from, actor const& who, access how, conflict& found) {
    auto const ordered = [&](event const& past) {
        return past.number == who.thread || past.number == who.number ||
               who.seen.has_seen(past.number, past.when);
    };
    bool const reads = only_reads(how);
    bool const atomically = how == access::atomic || how == access::atomic_read;
    // Reads go with reads, and atomics with atomics.
    auto const races = [&](event const& past) {
        bool const alike =
            atomically ? past.how == access::atomic : reads && past.how == access::read;
        return past.number != nobody && !alike && !ordered(past);
    };
    entry const before =
        from == 0 ? entry{{nobody, 0, access::write}, 0, 0} : entries_[from - first_];
    event const mine = {who.number, who.when, how};
    if (races(before.last)) {
        found = {0, before.last.number, before.last.how};
        return 0;
    }
    for (std::uint32_t i = 0; i < before.count; i++) {
        if (event const other = others_[before.others + i]; races(other)) {
            found = {0, other.number, other.how};
            return 0;
        }
    }
    // No later access races with it but a plain write, which should have been ordered anyway.
    if (how == access::atomic_read) return from;
    // Nothing new: whoever comes after its write of the same moment comes after this.
    bool const mine_again = before.count == 0 && before.last.number == mine.number &&
                            before.last.when == mine.when && before.last.how != access::atomic;
    if (mine_again && how != access::atomic) return from;

    // What lies before this need not be remembered.
    auto const begin = static_cast<std::uint32_t>(others_.size());
    bool same = false;
    auto const keep = [&](event const& past) {
        same |= past.number == mine.number && past.when == mine.when && past.how == how;
        if (past.number != nobody && !ordered(past)) others_.push_back(past);
    };
    if (how != access::write) {
        for (std::uint32_t i = 0; i < before.count; i++) keep(others_[before.others + i]);
    }
    if (how == access::read && same) {
        others_.resize(begin);
        return from;
    }
    if (how == access::atomic) keep(before.last);
    if (how == access::read) others_.push_back(mine);
    auto const count = static_cast<std::uint32_t>(others_.size()) - begin;
    return add({how == access::read ? before.last : mine, begin, count});
}

std::uint32_t history::add(entry const& made) {
    entries_.push_back(made);
    return first_ + static_cast<std::uint32_t>(entries_.size() - 1);
}

// Keeps the entries that some byte still has.
void history::compact() {
    std::unordered_map<std::uint32_t, std::uint32_t> renumbered;
    std::vector<entry> entries;
    std::vector<event> others;
    auto const first = first_ + static_cast<std::uint32_t>(entries_.size());
    for (auto& past : of_byte_) {
        if (past < first_) continue;
        auto const [place, is_new] = renumbered.try_emplace(past, 0);
        if (is_new) {
            entry kept = entries_[past - first_];
            auto const begin = others_.begin() + kept.others;
            kept.others = static_cast<std::uint32_t>(others.size());
            others.insert(others.end(), begin, begin + kept.count);
            place->second = first + static_cast<std::uint32_t>(entries.size());
            entries.push_back(kept);
        }
        past = place->second;
    }
    entries_ = std::move(entries);
    others_ = std::move(others);
    first_ = first;
}

} // namespace spio::sim
