// Everything between a problem and its launch in one object, for programs that want it so.
// SPDX-License-Identifier: Apache-2.0
//
//     spio::runtime const gpu({.packs = {spio::aot::pack::read("kernels.spiopack")}});
//     auto const kernel = gpu.load(axpby::specialize({.n = n}, gpu.arch()));
//     spio::stream const stream(gpu.on());
//     stream.launch(kernel, {.a = a, .x = x.as<axpby::scalars>(axpby::N(n)), …});
module;

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
    // Asked in this order, before anything else.
    std::vector<aot::pack> packs = {};
    // Which GPU; and what takes its place on a machine that has none, or if it is always to.
    int gpu = 0;
    std::optional<host_machine> host = {};
    bool always_on_host = false;
    spio::policy policy = policy_of_environment();
    // What chooses configurations.
    config_source configs = default_config_source();
    // Where what was compiled is kept.
    cache::options cache = {};
    // These in the place of the machine's own; they must stay.
    cuda::driver const* driver = nullptr;
    jit::nvrtc const* compiler = nullptr;
};

// Images come from the packs, from the program itself if it runs on the host, from memory, from the
// cache on disk, and from NVRTC, which is opened when it is first needed. Thread-safe.
class runtime {
  public:
    // Throws if there is neither the GPU nor a host device to take its place.
    explicit runtime(runtime_options = {});
    ~runtime();

    device const& on() const;
    spio::arch arch() const { return on().arch(); }

    // Found and loaded when it is first asked for. That a graph is captured in this thread, only
    // the stream tells, if someone else began it: then a kernel that is not there throws
    // a cold_kernel error, and the capture goes on.
    template <class Params> kernel<Params> load(typed_spec<Params> const& of) const {
        if (auto known = all_kernels().find(of)) return *std::move(known);
        refuse_if(is_capturing_here(), of);
        return all_kernels().load(all_images().find(of));
    }
    // The same under this policy, if it is not there yet.
    template <class Params> kernel<Params> load(typed_spec<Params> const& of, policy p) const {
        if (auto known = all_kernels().find(of)) return *std::move(known);
        refuse_if(is_capturing_here(), of);
        return all_kernels().load(all_images().find(of, p));
    }
    template <class Params>
    kernel<Params> load(typed_spec<Params> const& of, stream const& in) const {
        if (auto known = all_kernels().find(of)) return *std::move(known);
        refuse_if(in.is_captured(), of);
        return load(of);
    }
    // All of them now, so that later launches and captures need not.
    void prepare(std::span<spec const>) const;
    void prepare(std::span<spec const>, policy) const;

    config_source const& configs() const;
    images const& all_images() const;
    kernels const& all_kernels() const;
    cache::counters cached() const;

  private:
    struct parts;
    std::unique_ptr<parts const> has;

    static void refuse_if(bool is_captured, spec const& of) {
        if (is_captured) throw cold_kernel_error(of.spelled());
    }
};

} // namespace spio
