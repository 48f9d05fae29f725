// Matrix products: their problems, their configurations, how they are specialized, and their cost.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the sizes and options of a product, a configuration how blocks share it. A
// config_source finds measured configurations; without one the family, the kernels and code of one
// operation, chooses. A chip is the figures of a GPU that estimates use. A residual is a matrix
// that is added to the result. A typed_spec is a spec with the type of its parameters.
module;

#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <array>
#include <climits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

export module spio.matmul;

import spio.spec;

export namespace spio {
using spio::half;
}

export namespace spio::matmul {

using matmul::activation;
using matmul::args;
using matmul::factor_type;
using matmul::known_sizes;
using matmul::matrix;
using matmul::order;
using matmul::problem;
using matmul::result_type;
using matmul::sizes;

namespace cp_async {
using cp_async::config;
using cp_async::params;
} // namespace cp_async
namespace wgmma {
using wgmma::a_plan;
using wgmma::b_plan;
using wgmma::config;
using wgmma::d_plan;
using wgmma::params;
} // namespace wgmma

// Throws an error that names a field whose value is out of its range.
void check(problem const&);

// A short name of a problem for a profiler's list: 4096m_4096n_4096k_bf16_rc. A size that is known
// only at launch is written as any, and an order by its first letter.
std::string name_of(problem const&);

// A body (one of two kernel templates) and its configuration: mma.sync on any chip from sm_80 on,
// or wgmma on sm_90a.
using config = std::variant<cp_async::config, wgmma::config>;

// "wgmma m=128 n=256 …"
std::string config_text(config const&);
config parse_config(std::string_view text);

// The configurations whose estimated time is at most 1.3 times that of the fastest, which comes
// first. A problem has values even for sizes that are known only at launch, and these are used
// here.
std::vector<config> space(problem const&, arch);
// One of the two kernel templates, and all configurations of it that fit, the fastest by its
// estimated time first.
enum class body { wgmma, cp_async };
std::vector<config> space(problem const&, arch, body);
// A configuration, and who chose it.
struct choice {
    matmul::config config;
    config_origin origin;
    std::string refusal = {}; // why the learned model did not choose, if the family did
};
// The configuration to use if the caller names none: that of the config_source; or that which the
// learned model of the chip predicts to be the fastest; or the first of space().
choice choose(problem const&, arch, config_source const& = default_config_source());
config best_config(problem const&, arch, config_source const& = default_config_source());
// Whether there is a learned model for the chip of an architecture.
bool has_model(arch);
// That model in words: what it was trained on. Empty if there is none.
std::string describe_model(arch);

// A time in microseconds, and its parts: "42.1 us: …".
struct estimate {
    double microseconds = 0;
    double bytes = 0;      // bytes of all matrices, each once
    double traffic = 0;    // microseconds of moving them to and from memory
    double arithmetic = 0; // microseconds of the tensor cores of a busy SM
    double waves = 0;      // tiles of an SM

    std::string explained() const;
};
estimate explain(problem const&, config const&, arch);

// What a learned model knows of a problem and a configuration of the body wgmma: the fields of the
// configuration, and ratios that do not depend on a unit, such as the waves of tiles and the share
// of a tile that lies inside the result.
inline constexpr int feature_count = 44;
using features = std::array<float, feature_count>;
std::span<std::string_view const, feature_count> feature_names();
features features_of(problem const&, wgmma::config const&, estimate const&, arch);

// A kernel, and the blocks of its launches. For the body wgmma, make the tensor maps from the plans
// of wgmma, for the matrices in the arguments.
typed_spec<cp_async::params> specialize(problem const&, cp_async::config const&, arch);
typed_spec<wgmma::params> specialize(problem const&, wgmma::config const&, arch);
spec spec_of(problem const&, config const&, arch);

// The clusters of a configuration that a GPU runs at once. Throws if there is no such cluster.
int concurrent_clusters(wgmma::config const&, arch);
// The grid of a launch, in blocks.
extent grid(sizes const&, config const&, arch);
// Throws if a kernel that was made for this problem cannot take the arguments.
void check(problem const& made_for, args const&);

// How a line of a manifest ("matmul m=64 n=64 k=64") becomes specs.
family const& family_entry();

// The headers of matmul's kernels, as they were when the library was built.
std::span<header const> kernel_text();

// The matrices of a problem as the bits of their elements, dense, in the order of the problem.
struct operands {
    std::span<unsigned short const> a, b;
    std::span<float const> bias = {};
    std::span<double const> c = {}; // by rows
};
// The result in double, by rows, and how far from it a kernel may be. Products may be summed in
// float in any order, with an error of up to the last bit of the sum for each; the result is then
// rounded to its type.
struct bounded_results {
    std::vector<double> values, bounds;
};
bounded_results reference(problem const&, operands const&);

// The number that the bits of a factor stand for, or of a result of 16 bits.
double number_of(unsigned short bits, factor_type);

} // namespace spio::matmul

namespace spio::matmul {

inline sizes sizes_of(problem const& problem) {
    return {problem.m, problem.n, problem.k, problem.batch};
}
// The bytes of shared memory of a block.
inline int shared_bytes_of(problem const&, cp_async::config const& config) {
    return config.shared_bytes();
}
inline int shared_bytes_of(problem const& problem, wgmma::config const& config) {
    return config.shared_bytes(problem);
}

// All configurations of a body that fit, with their estimated times, the fastest first.
struct candidate {
    matmul::config config;
    estimate expected;
};
std::vector<candidate> candidates(problem const&, arch, body);
// The learned models.
std::span<std::string_view const> model_texts();

} // namespace spio::matmul

export namespace spio {

template <> struct enumerator_table<matmul::factor_type> {
    static constexpr std::string_view type = "spio::matmul::factor_type";
    static constexpr std::array<std::string_view, 2> names = {"fp16", "bf16"};
};
template <> struct enumerator_table<matmul::result_type> {
    static constexpr std::string_view type = "spio::matmul::result_type";
    static constexpr std::array<std::string_view, 3> names = {"fp16", "bf16", "fp32"};
};
template <> struct enumerator_table<matmul::order> {
    static constexpr std::string_view type = "spio::matmul::order";
    static constexpr std::array<std::string_view, 2> names = {"rows", "columns"};
};
template <> struct enumerator_table<matmul::activation> {
    static constexpr std::string_view type = "spio::matmul::activation";
    static constexpr std::array<std::string_view, 4> names = {"none", "relu", "silu", "gelu"};
};
template <> struct enumerator_table<matmul::known_sizes> {
    static constexpr std::string_view type = "spio::matmul::known_sizes";
    static constexpr std::array<std::string_view, 5> names = {"all", "any_m", "any_n", "any_k",
                                                              "none"};
};
template <> struct field_table<matmul::problem> {
    using problem = matmul::problem;
    static constexpr int most = 1 << 24;
    // A field has a name, a member, the bounds of a number, and whether it may be left out; texts
    // that are written leave out an implied one that has its default. The header of each config
    // says what its fields mean.
    static constexpr auto fields = std::tuple(
        field{"m", &problem::m, {.least = 1, .most = most}},
        field{"n", &problem::n, {.least = 1, .most = most}},
        field{"k", &problem::k, {.least = 1, .most = most}},
        field{"batch", &problem::batch, {.least = 1, .most = 65535}, presence::optional},
        field{"type", &problem::type, {}, presence::optional},
        field{"result", &problem::result, {}, presence::optional},
        field{"a", &problem::a, {}, presence::optional},
        field{"b", &problem::b, {}, presence::optional},
        field{"bias", &problem::bias, {}, presence::optional},
        field{"activation", &problem::activation, {}, presence::optional},
        field{"residual", &problem::residual, {}, presence::optional},
        field{"made_for", &problem::made_for, {}, presence::optional},
        field{"alignment", &problem::alignment, {.least = 2, .most = 16}, presence::optional});
};
template <> struct field_table<matmul::cp_async::config> {
    using config = matmul::cp_async::config;
    static constexpr auto fields =
        std::tuple(field{"m", &config::m, {.least = 64, .most = 256, .multiple_of = 64}},
                   field{"n", &config::n, {.least = 64, .most = 256, .multiple_of = 64}},
                   field{"warps_m", &config::warps_m, {.least = 1, .most = 8}},
                   field{"warps_n", &config::warps_n, {.least = 1, .most = 8}},
                   field{"stages", &config::stages, {.least = 2, .most = 8}},
                   field{"band", &config::band, {.least = 1, .most = 1024}});
};
template <> struct field_table<matmul::wgmma::config> {
    using config = matmul::wgmma::config;
    static constexpr auto fields =
        std::tuple(field{"m", &config::m, {.least = 64, .most = 192, .multiple_of = 64}},
                   field{"n", &config::n, {.least = 16, .most = 256, .multiple_of = 16}},
                   field{"stages", &config::stages, {.least = 2, .most = 16}},
                   field{"buffers", &config::buffers, {.least = 2, .most = 16}},
                   field{"cluster_m", &config::cluster_m, {.least = 1, .most = 8}},
                   field{"cluster_n", &config::cluster_n, {.least = 1, .most = 8}},
                   field{"band", &config::band, {.least = 1, .most = 1024}},
                   field{"splits", &config::splits, {.least = 1, .most = 8}, presence::optional},
                   field{"blocks", &config::blocks, {.least = 1, .most = 2}, presence::optional},
                   field{"ping_pong", &config::ping_pong, {}, presence::implied});
};

} // namespace spio
