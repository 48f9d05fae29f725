// Detects races: conflicting accesses of which neither happens before the other.
// SPDX-License-Identifier: Apache-2.0
//
// A record has the latest accesses to some bytes. An observer is a thread, or the TMA engine for a
// barrier; its epochs count up at each release. A vector clock has the last epoch of each observer
// that is known to have ended.
#include "sim/checker/race_shadow.h"

#include <algorithm>
#include <unordered_map>

namespace spio::sim {

constexpr int no_observer = -1;

void race_shadow::open(int bytes, std::size_t transitions) {
    record_of_byte_.assign(static_cast<std::size_t>(bytes), 0);
    records_.clear();
    others_.clear();
    transitions_.assign(transitions, {}); // found by their hash
    first_number_ = 1;
}

int race_shadow::grow(int bytes) {
    auto const first = record_of_byte_.size();
    record_of_byte_.resize(first + static_cast<std::size_t>(bytes), 0);
    return static_cast<int>(first);
}

void race_shadow::reset() {
    first_number_ += static_cast<std::uint32_t>(records_.size());
    records_.clear();
    others_.clear();
    if (first_number_ > 1U << 31)
        open(static_cast<int>(record_of_byte_.size()), transitions_.size());
}

race_shadow::conflict race_shadow::add(accessor const& accessor, int offset, int bytes,
                                       access kind) {
    conflict race;
    std::uint32_t last = 0;
    std::uint32_t target = 0;
    bool is_known = false;
    for (int i = offset; i < offset + bytes; i++) {
        auto& number = record_of_byte_[static_cast<std::size_t>(i)];
        std::uint32_t const source = number < first_number_ ? 0 : number;
        if (!is_known || source != last) {
            target = cached_next(source, accessor, kind, race);
            if (race.offset == 0) {
                race.offset = i;
                return race;
            }
            last = source;
            is_known = true;
        }
        number = target;
    }
    if (records_.size() > most_records_) {
        compact();
        // A block that needs as many is compacted again when there are twice as many.
        most_records_ = std::max(most_records_, 2 * records_.size());
    }
    return race;
}

std::uint32_t race_shadow::cached_next(std::uint32_t number, accessor const& accessor, access kind,
                                       conflict& race) {
    // Odd constants with bits all over: each part changes the whole hash.
    auto const hash = (number * 0x9e3779b1U) ^
                      (static_cast<std::uint32_t>(accessor.observer) * 0x85ebca6bU) ^
                      (accessor.epoch * 0xc2b2ae35U) ^ static_cast<std::uint32_t>(kind);
    auto& cached = transitions_[(hash >> 12 ^ hash) & (transitions_.size() - 1)];
    if (cached.target != 0 && cached.source == number && cached.epoch == accessor.epoch &&
        cached.observer == accessor.observer && cached.kind == kind &&
        cached.target >= first_number_) {
        return cached.target;
    }
    auto const target = next(number, accessor, kind, race);
    if (race.offset < 0) cached = {number, target, accessor.epoch, accessor.observer, kind};
    return target;
}

// The number of the record that follows a record after this access, where 0 stands for no record; 0
// if the access races, and then `race` says with what.
std::uint32_t race_shadow::next(std::uint32_t number, accessor const& accessor, access kind,
                                conflict& race) {
    auto const happened_before = [&](event const& past) {
        return past.observer == accessor.thread || past.observer == accessor.observer ||
               accessor.clock.includes(past.observer, past.epoch);
    };
    bool const is_atomic = kind == access::atomic || kind == access::atomic_read;
    // Reads do not race with reads, nor atomics with atomics.
    auto const races = [&](event const& past) {
        bool const is_compatible =
            is_atomic ? past.kind == access::atomic : is_read(kind) && past.kind == access::read;
        return past.observer != no_observer && !is_compatible && !happened_before(past);
    };
    record const past = number == 0 ? record{{no_observer, 0, access::write}, 0, 0}
                                    : records_[number - first_number_];
    // The offset 0 only says that there is a race; add() replaces it by that of the byte.
    if (races(past.last_write)) {
        race = {0, past.last_write.observer, past.last_write.kind};
        return 0;
    }
    for (std::uint32_t i = 0; i < past.other_count; i++) {
        if (event const other = others_[past.first_other + i]; races(other)) {
            race = {0, other.observer, other.kind};
            return 0;
        }
    }
    // Only a plain write could race with an atomic read, and it must be ordered with the atomic
    // writes anyway.
    if (kind == access::atomic_read) return number;
    // An access in the same epoch as the accessor's own last write need not be recorded: any later
    // access that is ordered after the write is ordered after this access too.
    bool const is_own_write =
        past.other_count == 0 && past.last_write.observer == accessor.observer &&
        past.last_write.epoch == accessor.epoch && past.last_write.kind != access::atomic;
    if (is_own_write && kind != access::atomic) return number;

    // Beside this access, only earlier accesses that did not happen before it need be kept: who is
    // ordered after it is ordered after the others. But a later atomic need not be ordered after
    // this one if this is an atomic too, and races with plain accesses before it all the same.
    event const current = {accessor.observer, accessor.epoch, kind};
    auto const first = static_cast<std::uint32_t>(others_.size());
    bool is_repeated = false;
    auto const retain = [&](event const& event) {
        is_repeated |= event.observer == current.observer && event.epoch == current.epoch &&
                       event.kind == kind;
        bool const is_needed = kind == access::atomic && event.kind != access::atomic;
        if (event.observer != no_observer && (is_needed || !happened_before(event))) {
            others_.push_back(event);
        }
    };
    if (kind != access::write) {
        for (std::uint32_t i = 0; i < past.other_count; i++) retain(others_[past.first_other + i]);
    }
    if (kind == access::read && is_repeated) {
        others_.resize(first);
        return number;
    }
    if (kind == access::atomic) retain(past.last_write);
    if (kind == access::read) others_.push_back(current);
    auto const count = static_cast<std::uint32_t>(others_.size()) - first;
    return append({kind == access::read ? past.last_write : current, first, count});
}

std::uint32_t race_shadow::append(record const& record) {
    records_.push_back(record);
    return first_number_ + static_cast<std::uint32_t>(records_.size() - 1);
}

// Drops the records that no byte refers to.
void race_shadow::compact() {
    std::unordered_map<std::uint32_t, std::uint32_t> new_numbers;
    std::vector<record> records;
    std::vector<event> others;
    auto const first_number = first_number_ + static_cast<std::uint32_t>(records_.size());
    for (auto& number : record_of_byte_) {
        if (number < first_number_) continue;
        auto const [position, is_new] = new_numbers.try_emplace(number, 0);
        if (is_new) {
            record moved = records_[number - first_number_];
            auto const begin = others_.begin() + moved.first_other;
            moved.first_other = static_cast<std::uint32_t>(others.size());
            others.insert(others.end(), begin, begin + moved.other_count);
            position->second = first_number + static_cast<std::uint32_t>(records.size());
            records.push_back(moved);
        }
        number = position->second;
    }
    records_ = std::move(records);
    others_ = std::move(others);
    first_number_ = first_number;
}

} // namespace spio::sim
