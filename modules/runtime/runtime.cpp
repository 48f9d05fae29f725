// Finds, loads and prepares kernels for a runtime, from its packs, its compiler and its device.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel, a pack a file of images, and a spec what an image is compiled
// from. The host device simulates a GPU on the CPU. A policy says whether kernels may come from
// packs, from a compiler at run time, or both. A config_source finds measured configurations;
// without one the family, the kernels of one operation, chooses. A generic kernel serves every
// problem of its kind. A runtime has two tiers: generic kernels, with which problems begin, and
// kernels for one problem, which a background thread compiles and which then take over (tier up). A
// cold kernel is not loaded yet. A config_query is a problem of a family, for an architecture, that
// needs a configuration.
module;

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

module spio.runtime;

import :lazy_value;
import spio.aot;
import spio.cache;
import spio.cuda;
import spio.image;
import spio.jit;
import spio.launch;
import spio.spec;
import spio.tuned;

// The pack in the target spio::generic_images, where a program is linked with it.
extern "C" {
[[gnu::weak]] extern std::byte const spio_generic_images[], spio_generic_images_end[];
}

namespace spio {

namespace {

// The number of configurations that live tuning compares, by the times of a program's own launches.
constexpr std::size_t most_compared = 4;

// The packs of the options, and after them that of generic kernels.
std::vector<aot::pack> packs_of(runtime_options& options) {
    auto packs = std::move(options.packs);
    if (options.generic_images) {
        packs.push_back(*std::move(options.generic_images));
    } else if (spio_generic_images != nullptr) {
        packs.push_back(aot::pack::linked({spio_generic_images, spio_generic_images_end},
                                          "of generic kernels"));
    }
    return packs;
}

// Images that came with the program: from packs, or compiled into it for the host.
struct packed_images {
    std::vector<aot::pack> packs;
    std::optional<host_machine> host;

    std::optional<image> find(spec const& spec) const {
        for (auto const& pack : packs) {
            if (auto found = pack.find(spec)) return found;
        }
        return host && host->find != nullptr ? host->find(spec) : std::nullopt;
    }
    std::string why_not(spec const& spec) const {
        for (auto const& pack : packs) {
            if (auto reason = pack.why_not(spec); !reason.empty()) return reason;
        }
        return {};
    }
};

// The driver of the options, or else the machine's; null if it has none, or if it is not to be
// used.
std::shared_ptr<cuda::driver const> driver_of(runtime_options const& options) {
    if (options.driver != nullptr) return {std::shared_ptr<void>(), options.driver};
    if (options.always_on_host) return {};
    try {
        return std::make_shared<cuda::driver const>();
    } catch (error const& e) {
        if (e.kind() != error_kind::not_found) throw;
        return {};
    }
}

// The device that the options ask for: a GPU, or the host device in its place.
device device_of(runtime_options const& options, std::shared_ptr<cuda::driver const> driver) {
    if (options.always_on_host) {
        if (options.host) return host_device(*options.host);
        throw error(error_kind::invalid, "open", "the host device",
                    "always_on_host is true, but no host is given");
    }
    return best_device(options.gpu, options.host, std::move(driver));
}

// Where live tuning keeps the configurations that it has found; null if it is off.
std::shared_ptr<tuned::own_choices>
own_choices_of(runtime_options const& options, device const& device, cuda::driver const* driver) {
    bool const is_on = options.live_tuning && options.tier_up && !device.arch().is_host &&
                       driver != nullptr && options.policy != policy::aot_only;
    if (!is_on) return nullptr;
    return std::make_shared<tuned::own_choices>(options.tuned_file,
                                                driver->device(options.gpu).name());
}

// Adds the configurations that a file has for a GPU. A named file must be there.
void add_table(config_source& configs, std::filesystem::path const& file, bool is_named,
               cuda::device_ref const& gpu) {
    if (is_named && !std::filesystem::exists(file)) {
        throw error(error_kind::not_found, "read", file.string(), "there is no such file");
    }
    if (auto const table = tuned::read(file); !table.empty()) {
        configs.add(config_origin::tuned, tuned::finder_of(table, gpu.name()));
    }
}

// Adds the models that were trained on a GPU. What cannot be used is told in the log.
void add_local_models(cuda::device_ref const& gpu, policy policy) {
    if (policy == policy::aot_only) return;
    auto const folder = tuned::model_folder_of_environment().path;
    for (auto const& refusal : tuned::add_models(folder, gpu.name(), text_of(arch_of(gpu)))) {
        log("a model is not used: " + refusal);
    }
}

// The configurations that the environment's file has for a GPU. If it cannot be used, the log says
// so.
config_source measured_configs(cuda::device_ref const& gpu, policy policy) {
    config_source configs;
    auto const place = tuned::place_of_environment();
    if (place.file.empty()) return configs;
    if (policy == policy::aot_only && !place.is_named) return configs;
    try {
        add_table(configs, place.file, place.is_named, gpu);
    } catch (error const& e) {
        log(std::string("no measured configurations: ") + e.what());
    }
    return configs;
}

// The options' configurations, then those that were measured on the GPU. The file that the options
// name is read now. That of the environment, and the models, are read when a configuration is first
// asked for: the choice that follows then knows the models.
config_source configs_of(runtime_options const& options,
                         std::shared_ptr<cuda::driver const> const& driver,
                         std::shared_ptr<tuned::own_choices> const& found) {
    auto configs = options.configs;
    if (found) {
        configs.add(config_origin::tuned,
                    [found](config_query const& query) { return found->find(query); });
    }
    if (!driver || options.always_on_host || driver->device_count() <= options.gpu) return configs;
    bool const is_named = !options.tuned_file.empty();
    if (is_named) { // with live tuning, it may be written only later
        add_table(configs, options.tuned_file, !found, driver->device(options.gpu));
    }
    auto const measured = std::make_shared<lazy_value<config_source>>(
        [driver, ordinal = options.gpu, policy = options.policy, is_named] {
            auto const gpu = driver->device(ordinal);
            add_local_models(gpu, policy);
            return std::make_shared<config_source const>(is_named ? config_source()
                                                                  : measured_configs(gpu, policy));
        });
    configs.add(config_origin::tuned,
                [measured](config_query const& query) -> std::optional<std::string> {
                    auto found = measured->get().find(query);
                    if (!found) return {};
                    return std::move(found->config);
                });
    return configs;
}

// Throws if a graph is being captured, because loading a kernel would make the capture invalid.
void check_capture(bool is_captured, spec const& spec) {
    if (is_captured) throw cold_kernel_error(spec.spelled());
}

} // namespace

// What a runtime consists of; each part may use those above it.
struct runtime::parts {
    std::shared_ptr<cuda::driver const> driver;
    spio::device device;
    bool has_packs;
    packed_images packed;
    policy default_policy;
    std::shared_ptr<tuned::own_choices> found;
    config_source configs;
    lazy_compiler compiler;
    spio::images images;
    spio::kernels kernels;
    spio::tiers tiers; // after all that its thread uses

    explicit parts(runtime_options&& options)
        : driver(driver_of(options)),
          device(device_of(options, driver)),
          has_packs(!options.packs.empty()),
          packed{packs_of(options), options.host},
          default_policy(options.policy),
          found(own_choices_of(options, device, driver.get())),
          configs(configs_of(options, driver, found)),
          compiler(std::move(options.cache), options.compiler),
          images(packed, compiler, options.policy),
          kernels(device),
          tiers(images, kernels, configs,
                {.begins_generic =
                     !device.arch().is_host && (options.policy == policy::generic_then_jit ||
                                                options.policy == policy::aot_only),
                 .tier_up = options.tier_up && options.policy == policy::generic_then_jit,
                 .has_packs = has_packs,
                 .most_compared = found ? most_compared : 1,
                 .keep = keeper()}) {}

    // What live tuning calls with the configuration that it has found; nothing if it is off.
    tiers::keeper keeper() const {
        if (!found) return {};
        return [found = found](config_query const& query, std::string const& config,
                               double microseconds) { found->record(query, config, microseconds); };
    }
};

runtime::runtime(runtime_options options)
    : state(std::make_unique<parts const>(std::move(options))) {}
runtime::~runtime() = default;

device const& runtime::target_device() const { return state->device; }
config_source const& runtime::configs() const { return state->configs; }
tier_source runtime::tiers() const { return {&state->tiers, nullptr}; }
void runtime::finish_compilations() const { state->tiers.wait(); }
tier_counters runtime::count_tiers() const { return state->tiers.count(); }
images const& runtime::all_images() const { return state->images; }
kernels const& runtime::all_kernels() const { return state->kernels; }
policy runtime::default_policy() const { return state->default_policy; }

image runtime::find(spec const& spec, policy policy) const {
    check_capture(is_capturing_thread(), spec);
    return state->images.find(spec, policy);
}

image runtime::find(spec const& spec, stream const& stream) const {
    check_capture(stream.is_captured(), spec);
    return find(spec, state->default_policy);
}

void runtime::prepare(std::span<spec const> specs) const { prepare(specs, default_policy()); }

void runtime::prepare(std::span<spec const> specs, policy policy) const {
    for (auto const& spec : specs) {
        if (!state->kernels.is_loaded(spec)) state->kernels.prepare(find(spec, policy));
    }
}

} // namespace spio
