// Trials in a few lines: the arrays of a launch, its parameters, and the exact results.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a kernel on random data and compares the results with exact ones. A workbench is its
// device, a spec what the kernel is compiled from, and a config_source finds measured
// configurations. docs/trials.md explains how a family of a project is tried.
module;

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

export module spio.command:setup;

import spio.dims;
import spio.image;
import spio.launch;
import spio.spec;
import :trial;

export namespace spio::command {

// How a number lies in memory. encode() rounds to a number of the type.
struct number_format {
    std::size_t bytes;
    void (*encode)(double number, unsigned char* bytes);
    double (*decode)(unsigned char const* bytes);
};
// A number as the bytes of a T, and back; integers are rounded.
template <class T> void encode(double number, unsigned char* bytes) {
    auto const value = static_cast<T>(std::integral<T> ? std::round(number) : number);
    std::memcpy(bytes, &value, sizeof value);
}
template <class T> double decode(unsigned char const* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
}
// Every number of the type must be a double.
template <class T>
    requires(std::floating_point<T> || (std::integral<T> && sizeof(T) <= 4))
constexpr number_format format_of() {
    return {sizeof(T), encode<T>, decode<T>};
}
template <std::same_as<half>> number_format format_of();
template <std::same_as<bfloat16>> number_format format_of();

// An element of an array as numbers: a double, or for vec<T, N> an array of N.
template <class Data> struct numbers_in {
    using scalar = Data;
    using type = double;
    static constexpr int count = 1;
};
template <class T, int N> struct numbers_in<vec<T, N>> {
    using scalar = T;
    using type = std::array<double, N>;
    static constexpr int count = N;
};

// An array of a trial, which the kernel gets as a tensor of this type and shape.
template <class Tensor> struct trial_array {
    using elements = numbers_in<std::remove_const_t<typename Tensor::data_type>>;

    std::size_t number;
    typename Tensor::layout_type shape;
};

// Whether a tensor's shape follows from these sizes: one of each of its dynamic dimensions.
template <class Tensor, class... Sizes>
concept shaped_by = std::constructible_from<Tensor, typename Tensor::data_type*, Sizes...>;

// Random numbers are drawn from `least` to `most`.
struct interval {
    float least, most;
};

// An array of a trial, whatever its type.
struct array_description {
    std::string name;
    number_format format;
    checked_size count;             // of numbers
    std::optional<interval> values; // what is drawn; nothing if the kernel has to write all of them
    bool is_written;                // whether the kernel may write to it
};

// The arrays of a trial on a device.
class device_arrays {
  public:
    device_arrays(device const& device, std::vector<array<unsigned char>> arrays)
        : home(&device), arrays(std::move(arrays)) {}

    device const& target_device() const { return *home; }
    std::span<array<unsigned char> const> all() const { return arrays; }
    // The array as the tensor that the kernel gets.
    template <class Tensor> Tensor operator[](trial_array<Tensor> const& array) const {
        using Data = typename Tensor::data_type;
        return Tensor(reinterpret_cast<Data*>(arrays[array.number].data()), array.shape);
    }

  private:
    device const* home;
    std::vector<array<unsigned char>> arrays;
};

// Coordinates as a program writes them: "[Row(8) + Column(0)]".
std::string text_of_place(std::span<std::pair<std::string_view, long long> const> values);
template <class... Dimensions> std::string text_of_place(coords<Dimensions...> const& place) {
    std::pair<std::string_view, long long> const values[] = {
        {name_of_type<Dimensions>(), place.template digit<Dimensions>().get()}...};
    return text_of_place(values);
}

// Compares the results of a launch with exact ones.
class comparison {
  public:
    comparison(std::span<array_description const> descriptions,
               std::span<std::vector<double> const> inputs,
               std::span<std::vector<double> const> results)
        : descriptions(descriptions), inputs(inputs), results(results) {}

    // What an array held before the launch, as a tensor of doubles. It must not outlive this
    // object.
    template <class Tensor> auto input(trial_array<Tensor> const& array) const {
        return view(array, inputs[array.number]);
    }
    // Counts the element at a position of an array as wrong unless |element - exact| <= bound.
    template <class Tensor, class Position>
        requires(trial_array<Tensor>::elements::count == 1)
    void compare(trial_array<Tensor> const& array, Position const& position, double exact,
                 double bound) {
        auto const result = view(array, results[array.number])[position];
        count(array.number, position, /*index=*/"", *result, exact, bound);
    }
    // The same for an element of a vector: the one with this index.
    template <class Tensor, class Position>
        requires(trial_array<Tensor>::elements::count > 1)
    void compare(trial_array<Tensor> const& array, Position const& position, int index,
                 double exact, double bound) {
        auto const result = view(array, results[array.number])[position];
        count(array.number, position, "[" + std::to_string(index) + "]",
              (*result)[static_cast<std::size_t>(index)], exact, bound);
    }
    verdict const& result() const { return found; }

  private:
    std::span<array_description const> descriptions;
    std::span<std::vector<double> const> inputs, results;
    verdict found;

    // The numbers as a tensor of the array's shape.
    template <class Tensor>
    static auto view(trial_array<Tensor> const& array, std::vector<double> const& numbers) {
        using Number = typename trial_array<Tensor>::elements::type;
        return [&]<class Data, auto... Axes>(tensor<Data, Axes...> const*) {
            return tensor<Number const, Axes...>(reinterpret_cast<Number const*>(numbers.data()),
                                                 array.shape);
        }(static_cast<Tensor const*>(nullptr));
    }
    // Compares a number of a result with the exact one; it may differ by the bound.
    template <class Position>
    void count(std::size_t number, Position const& position, std::string const& index,
               double result, double exact, double bound) {
        if (!found.count(result, exact, bound)) return;
        auto const& array = descriptions[number];
        std::string place;
        if constexpr (requires { position.coordinates(); }) {
            place = text_of_place(position.coordinates());
        } else {
            place = text_of_place(make_coordinates(position));
        }
        found.describe(array.name + place + index, result, exact, bound, !array.values);
    }
};

// What a trial consists of. A function of the family fills it in, for one problem:
//
//     void set_up(trial_setup& setup, problem const& problem, rows const& launch) {
//         auto const x = setup.input<vector>("x", {-1, 1}, N(problem.n));
//         auto const y = setup.output<results>("y", N(problem.n));
//         setup.launch(
//             specialize(problem, setup.target()),
//             [=](device_arrays const& arrays) { return params{.x = arrays[x], .y = arrays[y]}; },
//             [=](comparison& results) { … results.compare(y, N(0), exact, bound); … });
//     }
class trial_setup {
  public:
    trial_setup(arch target, config_source const& configs)
        : target_arch(target), source(&configs) {}

    arch target() const { return target_arch; }
    config_source const& configs() const { return *source; }

    // An array of random numbers. If the tensor's elements are not const, the kernel may write to
    // it; each check begins with the random numbers. Sizes are those of the tensor's dynamic axes.
    template <class Tensor, class... Sizes>
        requires shaped_by<Tensor, Sizes...>
    trial_array<Tensor> input(std::string name, interval values, Sizes... sizes) {
        return add<Tensor>(std::move(name), values, sizes...);
    }
    template <class Tensor, class... NotTheDynamicSizes>
        requires(!shaped_by<Tensor, NotTheDynamicSizes...>)
    trial_array<Tensor> input(std::string, interval, NotTheDynamicSizes...) = delete;
    // An array that the kernel has to write. Each check begins with NaNs in it.
    template <class Tensor, class... Sizes>
        requires shaped_by<Tensor, Sizes...> && (!std::is_const_v<typename Tensor::data_type>)
    trial_array<Tensor> output(std::string name, Sizes... sizes) {
        return add<Tensor>(std::move(name), {}, sizes...);
    }
    template <class TensorToWrite, class... NotTheDynamicSizes>
        requires(!shaped_by<TensorToWrite, NotTheDynamicSizes...> ||
                 std::is_const_v<typename TensorToWrite::data_type>)
    trial_array<TensorToWrite> output(std::string, NotTheDynamicSizes...) = delete;
    // The kernel; a function that makes its parameters of the arrays; and a function that compares
    // every result. Both functions are called after set_up() has returned.
    template <class Params, class Arguments, class Compare>
    void launch(typed_spec<Params> const& kernel, Arguments arguments, Compare compare_results) {
        kernels.push_back(kernel);
        prepare = [kernel, arguments](workbench& bench, device_arrays const& arrays) {
            return [loaded = bench.load(kernel), params = Params(arguments(arrays))](
                       stream const& stream) { loaded.launch(stream, params); };
        };
        compare = std::move(compare_results);
    }

  private:
    using launch_function = std::function<void(stream const&)>;

    arch target_arch;
    config_source const* source;
    std::vector<array_description> arrays;
    std::vector<spec> kernels;
    std::function<launch_function(workbench&, device_arrays const&)> prepare;
    std::function<void(comparison&)> compare;

    template <class Tensor, class... Sizes>
    trial_array<Tensor> add(std::string name, std::optional<interval> values, Sizes... sizes) {
        using Array = trial_array<Tensor>;
        typename Tensor::layout_type const shape(sizes...);
        arrays.push_back(
            {.name = std::move(name),
             .format = format_of<typename Array::elements::scalar>(),
             .count = shape.template storage_size<checked_size>() * Array::elements::count,
             .values = values,
             .is_written = !std::is_const_v<typename Tensor::data_type>});
        return {arrays.size() - 1, shape};
    }

    friend trial trial_of(std::string, std::shared_ptr<trial_setup const>, unsigned);
};

// The trial of a problem, whose text has all fields, with data of this seed.
trial trial_of(std::string problem, std::shared_ptr<trial_setup const>, unsigned seed);

template <name_constant Name, auto SetUp, class... Parts>
trial_family trials_by(std::string_view meaning, std::string_view example,
                       std::type_identity<std::tuple<Parts...>>) {
    return {.name = Name.text,
            .meaning = meaning,
            .example = example,
            .fields = describe_fields<Parts...>,
            .create = [](std::string_view words, arch target, unsigned seed,
                         config_source const& configs) {
                auto const setup = std::make_shared<trial_setup>(target, configs);
                std::string problem;
                auto const add = [&](std::string const& text) {
                    problem += (problem.empty() ? "" : " ") + text;
                };
                auto const set_up = [&](Parts const&... parts) {
                    SetUp(*setup, parts...);
                    (add(text_of(parts)), ...);
                };
                std::apply(set_up, parse_all<Parts...>(Name.text, words));
                return trial_of(std::move(problem), setup, seed);
            }};
}
// The trials of a family whose function set_up() fills in a trial_setup. After it the function
// takes the problem, and what a launch chooses: sizes, whose fields are named beside set_up(), and
// structs with a field table. The words of a problem have the fields of all.
//     void set_up(trial_setup&, softmax::problem const&, softmax::Row rows);
//     return trials_of<"softmax", set_up, "rows">("y = softmax(x)", "columns=1000 rows=37");
template <name_constant Name, auto SetUp, name_constant... Sizes>
trial_family trials_of(std::string_view meaning, std::string_view example) {
    return trials_by<Name, SetUp>(meaning, example, parts_taken<Sizes...>(SetUp));
}

} // namespace spio::command
