// A runtime: one object that finds, compiles, caches and loads the kernels of a device.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the sizes and options of a call. A spec is what a kernel is compiled from: its text
// for a problem, a configuration and an architecture. An image is a compiled kernel, a pack a file
// of images. A policy says whether kernels may come from packs, a compiler at run time, or both. A
// config_source finds measured configurations; without one the family, the kernels and code of one
// operation, chooses. A typed_spec is a spec with the type of its parameters.
//
//     spio::runtime const gpu({.packs = {spio::aot::pack::read("kernels.spiopack")}});
//     auto const kernel = gpu.load(axpby::specialize({.n = n}, gpu.arch()));
//     spio::stream const stream(gpu.target_device());
//     kernel.launch(stream, {.a = a, .x = x.as<axpby::scalars>(axpby::N(n)), …});
module;

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

export module spio.runtime;

import spio.aot;
import spio.cache;
import spio.cuda;
import spio.image;
import spio.jit;
import spio.launch;
import spio.spec;

export namespace spio {

struct runtime_options {
    // Packs to look in, in this order, before any other source.
    std::vector<aot::pack> packs = {};
    // The GPU; and the host device that takes its place on a machine that has none, or always.
    int gpu = 0;
    std::optional<host_machine> host = {};
    bool always_on_host = false;
    spio::policy policy = policy_of_environment();
    // The pack of generic kernels, which is asked last. If there is none here, it is the one that
    // the program was linked with: the target spio::generic_images.
    std::optional<aot::pack> generic_images = {};
    // Whether generic kernels give way to better ones, under policy::generic_then_jit. If not,
    // every problem keeps the kernels that it began with, and so the order of its sums.
    bool tier_up = tier_up_of_environment();
    // Live tuning: the first launches of a convolution (forward, or of the gradient of the input)
    // try the configurations that may be the fastest in turn; later launches take the one that was.
    // All of them compute the same bits. There is none if tier_up is false or under
    // policy::aot_only. The result is written to tuned_file.
    bool live_tuning = live_tuning_of_environment();
    // What chooses configurations, before those that were measured on this GPU are asked for.
    config_source configs = default_config_source();
    // The file of measured configurations, which `spio tune` writes; if empty, the one that the
    // environment names, or else the default. The default is not read under policy::aot_only: the
    // kernels of packs have the configurations that the packs were built with.
    std::filesystem::path tuned_file = {};
    // Where compiled images are cached on disk.
    cache::options cache = {};
    // A driver and a compiler to use instead of those of the machine; they must outlive the
    // runtime.
    cuda::driver const* driver = nullptr;
    jit::nvrtc const* compiler = nullptr;
};

// A device with its kernels. Images come from the packs, from the program itself if kernels run on
// the host, from memory, from the cache on disk, and from NVRTC, which is opened when it is first
// needed. Thread-safe.
class runtime {
  public:
    // Throws if there is neither the GPU nor a host device to take its place.
    explicit runtime(runtime_options = {});
    ~runtime();

    device const& target_device() const; // the GPU, or the host device
    spio::arch arch() const { return target_device().arch(); }

    // Finds and loads a kernel when it is first asked for. While a graph is captured, a kernel that
    // is not loaded throws a cold_kernel error, and the capture goes on. A capture that another
    // library began in this thread is known to its stream only.
    template <class Params> kernel<Params> load(typed_spec<Params> const& spec) const {
        return load(spec, default_policy());
    }
    template <class Params>
    kernel<Params> load(typed_spec<Params> const& spec, policy policy) const {
        if (auto loaded = all_kernels().find(spec)) return *std::move(loaded);
        return all_kernels().load(typed_image<Params>{find(spec, policy), spec.grid});
    }
    template <class Params>
    kernel<Params> load(typed_spec<Params> const& spec, stream const& stream) const {
        if (auto loaded = all_kernels().find(spec)) return *std::move(loaded);
        return all_kernels().load(typed_image<Params>{find(spec, stream), spec.grid});
    }
    // Loads kernels so that later launches and captures need not.
    void prepare(std::span<spec const>) const;
    void prepare(std::span<spec const>, policy) const;

    // The tiers of families, which begin with generic kernels unless the device is the host device
    // or the policy asks a compiler at once.
    tier_source tiers() const;
    // Waits until the background thread has compiled all that was asked for. The launch that comes
    // next takes it.
    void finish_compilations() const;
    tier_counters count_tiers() const;

    config_source const& configs() const;
    images const& all_images() const;
    kernels const& all_kernels() const;

  private:
    struct parts;
    std::unique_ptr<parts const> state;

    policy default_policy() const;
    image find(spec const&, policy) const;
    image find(spec const&, stream const&) const;
};

} // namespace spio
