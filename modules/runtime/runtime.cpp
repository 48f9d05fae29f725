// Puts the parts together.
// SPDX-License-Identifier: Apache-2.0
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

// What came with the program.
struct shipped_with_it {
    std::vector<aot::pack> packs;
    std::optional<host_machine> host;

    std::optional<image> find(spec const& of) const {
        for (auto const& pack : packs) {
            if (auto found = pack.find(of)) return found;
        }
        return host && host->find != nullptr ? host->find(of) : std::nullopt;
    }
    std::string why_not(spec const& of) const {
        for (auto const& pack : packs) {
            if (auto why = pack.why_not(of); !why.empty()) return why;
        }
        return {};
    }
};

device device_of(runtime_options const& how) {
    if (how.always_on_host) {
        if (how.host) return host_device(*how.host);
        throw error(error_kind::invalid, "open", "the host device",
                    "always_on_host is true, but no host is given");
    }
    return best_device(how.gpu, how.host, {std::shared_ptr<void>(), how.driver});
}

} // namespace

struct runtime::parts {
    device on;
    shipped_with_it shipped;
    policy usual;
    config_source configs;
    cache::store cache;
    jit::just_in_time compiler;
    spio::images images;
    spio::kernels kernels;

    explicit parts(runtime_options&& how)
        : on(device_of(how)),
          shipped{std::move(how.packs), how.host},
          usual(how.policy),
          configs(std::move(how.configs)),
          cache(logged(std::move(how.cache))),
          compiler(cache, how.compiler),
          images(shipped, compiler, how.policy),
          kernels(on) {}

    static cache::options logged(cache::options how) {
        if (is_logged() && !how.log) how.log = [](std::string_view line) { log(line); };
        return how;
    }
};

runtime::runtime(runtime_options how) : has(std::make_unique<parts const>(std::move(how))) {}
runtime::~runtime() = default;

device const& runtime::on() const { return has->on; }
config_source const& runtime::configs() const { return has->configs; }
images const& runtime::all_images() const { return has->images; }
kernels const& runtime::all_kernels() const { return has->kernels; }
cache::counters runtime::cached() const { return has->cache.count(); }

void runtime::prepare(std::span<spec const> all) const { prepare(all, has->usual); }

void runtime::prepare(std::span<spec const> all, policy p) const {
    for (auto const& of : all) {
        if (!has->kernels.has(of)) {
            refuse_if(is_capturing_here(), of);
            has->kernels.prepare(has->images.find(of, p));
        }
    }
}

} // namespace spio
