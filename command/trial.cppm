// How a family of kernels is tried on random data: the one interface by which `spio run` knows it.
// SPDX-License-Identifier: Apache-2.0
//
// FAMILY/trial.cpp defines the function FAMILY_trials(), which returns a trial_family; CMake finds
// that file, and calls the function. An image is a compiled kernel; a spec, all that determines it.
// A policy says whether images may come from packs (files of them), from a compiler at run time, or
// both. A config_source finds measured configurations; without one the family, the kernels and code
// of one operation, chooses. A field_slot is a field of an aggregate in memory: where its value is
// read from and written to. The host device simulates a GPU on the CPU. A typed_spec is a spec with
// the type of its parameters. host_value<T> is what the host has for T: T, or the bits of a half.
module;

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

export module spio.command:trial;

import spio.dims;
import spio.image;
import spio.launch;
import spio.runtime;
import spio.spec;

export namespace spio::command {

// Counts the results of a kernel that were compared with exact ones, and the wrong ones among them.
struct verdict {
    std::uint64_t compared = 0, wrong = 0;
    double worst = 0;             // largest error / bound of results within bounds
    bool is_exact = true;         // whether every result is the exact number
    std::string first_wrong = {}; // a sentence

    // Counts a result as wrong unless |result - exact| <= bound. The bound comes from an analysis
    // of the roundings.
    void compare(std::string_view array, std::size_t index, double result, double exact,
                 double bound);
    // The same; returns whether it is the first wrong result, which wants a description. Where
    // every element was a NaN before the launch, a NaN may be one that nobody has written.
    bool count(double result, double exact, double bound);
    void describe(std::string const& place, double result, double exact, double bound,
                  bool was_nan = false);
};

// A kernel's image, and the time that it took to find and to load it.
struct loaded_kernel {
    image source;
    double find_milliseconds, load_milliseconds;
};

// A device for trials: loads kernels, notes where their images came from, and moves arrays.
class workbench {
  public:
    // The runtime must outlive the workbench.
    workbench(runtime const& runtime, policy policy)
        : home(runtime), image_policy(policy), main_stream(runtime.target_device()) {}

    // The device, and the stream on which arrays are moved.
    device const& target_device() const { return home.target_device(); }
    stream const& queue() const { return main_stream; }
    std::span<loaded_kernel const> kernels() const { return loaded; }

    // Finds and loads a kernel, so that one without an image is reported before any data is made.
    void prepare(spec const& spec) {
        auto const start = clock::now();
        auto const found = home.all_images().find(spec, image_policy);
        auto const middle = clock::now();
        home.all_kernels().prepare(found);
        note(found, middle - start, clock::now() - middle);
    }
    // Finds or compiles a kernel's image and loads it.
    template <class Params> kernel<Params> load(typed_spec<Params> const& spec) {
        auto const start = clock::now();
        auto const found = home.all_images().find(spec, image_policy);
        auto const middle = clock::now();
        auto ready = home.all_kernels().load(found);
        note(found, middle - start, clock::now() - middle);
        return ready;
    }
    // A new array on the device with these values. The host device calls it by its name in reports.
    template <class T>
    array<T> upload(std::vector<host_value<T>> const& values, std::string name) const {
        array<T> destination(target_device(), values.size(), std::move(name));
        fill(destination, values);
        return destination;
    }
    template <class T>
    void fill(array<T> const& destination, std::vector<host_value<T>> const& values) const {
        main_stream.write(destination, std::span<host_value<T> const>(values));
        main_stream.synchronize();
    }
    // Fills an array with 0xff bytes, which no kernel writes as a result, so that missing writes
    // are found.
    template <class T> void poison(array<T> const& destination) const {
        std::vector<host_value<T>> ones(destination.size());
        if (!ones.empty()) std::memset(ones.data(), 0xff, ones.size() * sizeof(host_value<T>));
        fill(destination, ones);
    }
    template <class T> std::vector<host_value<T>> download(array<T> const& source) const {
        std::vector<host_value<T>> values(source.size());
        main_stream.read(std::span(values), source);
        main_stream.synchronize();
        return values;
    }

  private:
    using clock = std::chrono::steady_clock;

    runtime const& home;
    policy image_policy;
    stream main_stream;
    std::vector<loaded_kernel> loaded;

    // Adds a kernel to the list of those loaded.
    void note(image const&, clock::duration find, clock::duration load);
};

// A trial's kernels and arrays on a device.
struct prepared_trial {
    // Runs the kernels once, on what the arrays hold at that time.
    std::function<void(stream const&)> launch;
    // Fills the arrays anew, launches, and compares every result.
    std::function<verdict(stream const&)> check;
};

// A problem, and how to run it on random data.
struct trial {
    std::string problem; // all of its fields, also those with defaults
    std::vector<spec> kernels;
    checked_size bytes_moved; // least number of bytes read and written
    // Each call allocates arrays of its own, with the same data in them.
    std::function<prepared_trial(workbench&)> prepare;
};

// A field of a problem, for people who write one.
struct field_description {
    std::string name;
    std::string kind;  // "a whole number", "true or false", "one of fprop, dgrad, wgrad"
    std::string bound; // of whole numbers: "at least 8, at most 2048, a multiple of 8"
    std::vector<std::string_view> choices; // the words that its value may be; empty for numbers
    std::string otherwise;                 // its default value as text; empty if is_required
    bool is_required;
};

// A configuration of a problem, and its times in microseconds: by the family's estimate, and by its
// learned model, which is 0 if there is none.
struct expected_config {
    std::string config;
    double estimated, predicted;
};
// Who chose the configuration of a problem, the chosen one, and those expected to come next.
struct explained_choice {
    std::string chosen_by; // "a measurement on this GPU"
    std::string refusal; // why the learned model did not choose; empty if it did, or was not asked
    std::vector<expected_config> configs;
};

// The trials of a family of kernels.
struct trial_family {
    std::string_view name;
    std::string_view meaning; // "y = a x + b y"
    std::string_view example; // the words of a problem
    std::vector<field_description> (*fields)();
    // The trial of the problem that `words` describe, with data of this seed.
    trial (*create)(std::string_view words, arch, unsigned seed, config_source const&);
    // The configurations worth a trial, as text, the one that the family would choose first; null
    // if there is but one for a problem.
    std::vector<std::string> (*configs)(std::string_view words, arch) = nullptr;
    // How the configuration of a problem is chosen; null if there is but one for a problem, or if
    // the family cannot tell.
    explained_choice (*explain)(std::string_view words, arch, config_source const&) = nullptr;
    // What chooses where nothing was measured, for people, a line for each of the family's models:
    // "conv2d wgrad on sm_90a: the learned model for H200, trained on …"; null if nothing is known.
    std::vector<std::string> (*choosers)(arch) = nullptr;
};

// What chooses problems of this kind on an architecture: the learned model of this description, or
// an estimate if that is empty.
std::string chooser_line(std::string_view kind, arch, std::string_view model);

// All families that `spio run` can try on random data, those of Spio first.
std::span<trial_family const> trial_families();
// The trials of a family of kernels, or null if it has none.
trial_family const* trial_family_of(family const&);
// Creates the trial of the problem that `words` describe. A wrong field or value is a usage failure
// that suggests the nearest one; if a field is missing, the failure lists all fields.
trial create_trial(trial_family const&, std::string_view words, arch, unsigned seed,
                   config_source const& = default_config_source());

// A hint for the words of a problem that is refused, as the end of a sentence: the known word that
// is nearest to the first unknown one, or all fields if one is missing, or nothing.
std::string hint_for(trial_family const&, std::string_view words);

// Describes fields for people. A slot refers to a field of a C++ object: its name, its value and
// the values it may have.
std::vector<field_description> describe(std::vector<field_slot> const&);

// describe_fields and parse_all treat several types as one, for example layernorm_2d::problem and
// layernorm_2d_launch (the number of positions): describe_fields describes the fields of all, and
// parse_all reads them all from one text.
template <described... Ts> std::vector<field_description> describe_fields() {
    std::tuple<Ts...> values = {};
    std::vector<field_slot> slots;
    std::apply([&](Ts&... value) { (add_fields(slots, value), ...); }, values);
    return describe(slots);
}
template <described... Ts>
std::tuple<Ts...> parse_all(std::string_view family, std::string_view words) {
    std::tuple<Ts...> values = {};
    std::vector<field_slot> slots;
    std::apply([&](Ts&... value) { (add_fields(slots, value), ...); }, values);
    parse_fields(slots, family, words);
    return values;
}

// The name of a type with its namespaces, as clang writes it: "softmax::Row".
template <class Type> consteval std::string_view name_of_type() {
    constexpr std::string_view text = __PRETTY_FUNCTION__; // "… [Type = softmax::Row]"
    constexpr std::string_view prefix = "[Type = ";
    constexpr auto begin = text.find(prefix) + prefix.size();
    return text.substr(begin, text.size() - 1 - begin);
}

// A size that a launch chooses, as a struct with one field, such as rows=37; 100 if it is not
// given.
template <index Dimension, name_constant Name> struct launch_size {
    int value = 100;

    operator Dimension() const { return Dimension(value); }
};
// What the words of a problem are read into, for the parameters of a function: a launch_size for
// each size, a struct with a field table as it is.
template <class... Names> struct name_list {};
template <name_constant> struct name_type {};
template <class Names, class Read, class... Parameters> struct parts_read {
    static_assert(
        sizeof...(Parameters) > sizeof...(Parameters),
        "trials_of<> names each size that set_up() takes of a launch, in their order, and "
        "no other; all else that set_up() takes has a field_table");
};
template <class... Read> struct parts_read<name_list<>, std::tuple<Read...>> {
    using type = std::tuple<Read...>;
};
template <class Names, class... Read, described Part, class... Rest>
struct parts_read<Names, std::tuple<Read...>, Part, Rest...>
    : parts_read<Names, std::tuple<Read..., Part>, Rest...> {
    static_assert(name_of_type<Part>().find("::") != std::string_view::npos,
                  "a struct that set_up() takes is in a namespace, and be it one without a name: "
                  "trials of another family in the program may have a struct of the same name");
};
template <name_constant Name, class... Names, class... Read, index Size, class... Rest>
struct parts_read<name_list<name_type<Name>, Names...>, std::tuple<Read...>, Size, Rest...>
    : parts_read<name_list<Names...>, std::tuple<Read..., launch_size<Size, Name>>, Rest...> {};
template <name_constant... Sizes, class Setup, class... Parameters>
auto parts_taken(void (*)(Setup&, Parameters...)) {
    return std::type_identity<typename parts_read<name_list<name_type<Sizes>...>, std::tuple<>,
                                                  std::remove_cvref_t<Parameters>...>::type>();
}

// Random floats from `least` to `most`; the same state of the generator gives the same values.
std::vector<float> random_floats(std::mt19937&, std::size_t count, float least, float most);
// The bits of halves from 1 to 2 and from -2 to -1.
std::vector<unsigned short> random_halves(std::mt19937&, std::size_t count);

// Bounds on the error of one rounding to a format: relative (`unit`), and absolute for tiny numbers
// (`least`).
struct rounding {
    double unit;
    double least;
};
inline constexpr rounding to_float = {0x1p-24, 0x1p-150};
inline constexpr rounding to_half = {0x1p-11, 0x1p-25};
inline constexpr rounding to_bfloat16 = {0x1p-8, 0x1p-134};

// A bound on the relative error of k successive roundings with unit roundoff `unit`.
constexpr double gamma(double k, double unit) { return k * unit / (1 - k * unit); }

} // namespace spio::command

template <class Dimension, spio::name_constant Name>
struct spio::field_table<spio::command::launch_size<Dimension, Name>> {
    static constexpr auto fields =
        std::tuple(field{std::string_view(Name.text),
                         &spio::command::launch_size<Dimension, Name>::value,
                         {.least = 1},
                         presence::optional});
};
