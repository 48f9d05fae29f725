// Finds, loads and prepares kernels for a runtime, from its packs, its compiler and its device.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel, a pack a file of images, and a spec what an image is compiled
// from.
module;

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

module spio.runtime;

import spio.aot;
import spio.cache;
import spio.cuda;
import spio.image;
import spio.jit;
import spio.launch;
import spio.spec;

namespace spio {

namespace {

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

device device_of(runtime_options const& options) {
    if (options.always_on_host) {
        if (options.host) return host_device(*options.host);
        throw error(error_kind::invalid, "open", "the host device",
                    "always_on_host is true, but no host is given");
    }
    return best_device(options.gpu, options.host, {std::shared_ptr<void>(), options.driver});
}

cache::options logged(cache::options options) {
    if (is_logged() && !options.log) options.log = [](std::string_view line) { log(line); };
    return options;
}

void check_capture(bool is_captured, spec const& spec) {
    if (is_captured) throw cold_kernel_error(spec.spelled());
}

} // namespace

struct runtime::parts {
    spio::device device;
    packed_images packed;
    policy default_policy;
    config_source configs;
    cache::folders folders;
    jit::just_in_time compiler;
    spio::images images;
    spio::kernels kernels;

    explicit parts(runtime_options&& options)
        : device(device_of(options)),
          packed{std::move(options.packs), options.host},
          default_policy(options.policy),
          configs(std::move(options.configs)),
          folders(logged(std::move(options.cache))),
          compiler(folders, options.compiler),
          images(packed, compiler, options.policy),
          kernels(device) {}
};

runtime::runtime(runtime_options options)
    : state(std::make_unique<parts const>(std::move(options))) {}
runtime::~runtime() = default;

device const& runtime::on() const { return state->device; }
config_source const& runtime::configs() const { return state->configs; }
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
