// How a family of kernels is tried: the one interface by which `spio run` knows it.
// SPDX-License-Identifier: Apache-2.0
//
// A family has one file here, and one line in trials.cpp.
module;

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

export module spio.command:trial;

import spio.launch;
import spio.spec;
import :stage;

export namespace spio::command {

// What came out, compared with what should have.
struct verdict {
    std::uint64_t compared = 0, wrong = 0;
    double worst = 0;       // of all errors, as a part of what it may be
    std::string first = {}; // that is wrong, in words

    // |got - exact| <= bound, where the bound comes from an analysis of roundings.
    void compare(std::string_view array, std::uint64_t place, double got, double exact,
                 double bound);
};

// A trial's arrays on a device, and its kernels loaded there.
class rehearsal {
  public:
    virtual ~rehearsal() = default;
    // Once more, over what is in the arrays by now.
    virtual void launch(stream const&) const = 0;
    // Fills the arrays anew, launches, and looks at all that came out.
    virtual verdict check(stream const&) const = 0;
};

// A problem, with random data for it.
class trial {
  public:
    virtual ~trial() = default;
    virtual std::string problem() const = 0; // all of its words, those with defaults too
    virtual std::vector<spec> kernels() const = 0;
    // That must be read and written at least.
    virtual std::uint64_t bytes_moved() const = 0;
    // Each call makes arrays of its own, of the same data.
    virtual std::unique_ptr<rehearsal> on(stage&) = 0;
};

// A word of problems, for those who write them.
struct field_words {
    std::string name, kind, bound, otherwise; // otherwise: what it is if it is not given
    bool is_required;
};
// Of places for words, and what is in them now: "n=0 affine=true".
std::vector<field_words> words_of(std::vector<field_slot> const&, std::string const& now);

// The fields of several aggregates as words of one text: those of a problem, and of its launch.
template <described... Ts> std::vector<field_words> words_of_fields() {
    std::tuple<Ts...> values = {};
    std::vector<field_slot> slots;
    std::string now;
    std::apply([&](Ts&... each) { (add_fields(slots, each), ...); }, values);
    std::apply([&](Ts&... each) { ((now += text_of(each) + " "), ...); }, values);
    return words_of(slots, now);
}
template <described... Ts>
std::tuple<Ts...> values_of_words(std::string_view family, std::string_view words) {
    std::tuple<Ts...> values = {};
    std::vector<field_slot> slots;
    std::apply([&](Ts&... each) { (add_fields(slots, each), ...); }, values);
    parse_fields(slots, family, words);
    return values;
}

struct trial_family {
    std::string_view name;
    std::string_view meaning; // "y = a x + b y"
    std::string_view example; // words of a problem
    std::vector<field_words> (*fields)();
    std::unique_ptr<trial> (*make)(std::string_view words, arch, unsigned seed);
};

// All that there are.
std::span<trial_family const> trial_families();
// Null for a family that has none.
trial_family const* trial_of(family const&);
// One of them, or a failure of usage that names the nearest family.
trial_family const& trial_family_named(std::string_view name);
// One of Spio's, whether or not it can be tried; or such a failure.
family const& family_named(std::string_view name);

} // namespace spio::command
