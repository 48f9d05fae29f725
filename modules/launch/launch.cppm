// From specifications to work on a device: images found, kernels loaded, launched on streams.
// SPDX-License-Identifier: Apache-2.0
//
// A specialization (spec) is what a kernel is compiled from, an image a compiled kernel. A backend
// is a device, a GPU or the host device (a simulated GPU), behind the calls that both have. A
// family is the kernels of one operation; in the example it is axpby, y = a x + b y. A problem is
// the sizes and options of a call, a configuration how blocks and threads share it; a config_source
// finds configurations that were measured. A config_query is a problem of a family, for an
// architecture, that needs a configuration. A typed_spec is a spec with the type of its parameters.
//
//     spio::device const gpu = spio::gpu_device(driver, 0);
//     spio::images const images(pack, compiler);
//     spio::kernels const kernels(gpu);
//     spio::stream const stream(gpu);
//     auto const axpby = kernels.load(images.find(axpby::specialize({.n = n}, gpu.arch())));
//     axpby.launch(stream, {.a = a, .x = x.as<axpby::scalars>(axpby::N(n)), …});
module;

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

export module spio.launch;

export import :device;
export import :images;
export import :kernels;
import spio.image;
import spio.spec;
import spio.system;

export namespace spio {

// What has happened to the problems of a program. A generic kernel serves every problem of its
// kind; a better one is compiled for a single problem. Live tuning times the launches of several
// kernels for one problem.
struct tier_counters {
    std::uint64_t begun = 0;      // problems that began with a generic kernel
    std::uint64_t unchanged = 0;  // of these, problems for which no better kernel was expected
    std::uint64_t compiled = 0;   // better kernels that the background thread found or compiled
    std::uint64_t taken = 0;      // of these, kernels that took over
    std::uint64_t failed = 0;     // better kernels that could not be compiled or loaded
    std::uint64_t compared = 0;   // problems with live tuning
    std::uint64_t decided = 0;    // of these, problems whose fastest kernel is known
    std::uint64_t recorded = 0;   // of these, problems for which the file of measurements has it
    std::uint64_t unrecorded = 0; // or could not be written
};

// The two tiers of a runtime: generic kernels, which packs have, and the kernels for one problem,
// which a background thread compiles and which then take over. Thread-safe.
class tiers {
  public:
    // Keeps a configuration that was found to be the fastest, with its time. May throw.
    using keeper =
        std::function<void(config_query const&, std::string const& config, double microseconds)>;
    struct options {
        bool begins_generic = true; // else there is one tier, that of the kernels for one problem
        bool tier_up = true;        // else a problem that began with a generic kernel keeps it
        bool has_packs = false;     // packs may have kernels for one problem, which come first
        // The number of configurations that live tuning compares; 1: there is no live tuning.
        std::size_t most_compared = 1;
        keeper keep = {};
    };
    // The images, the kernels and the configurations must outlive the object.
    tiers(images const&, kernels const&, config_source const&, options);
    // Waits for the compilation that has begun; those that wait for it are dropped.
    ~tiers();

    images const& all_images() const { return *found_images; }
    config_source const& configs() const { return *chosen_configs; }
    options const& chosen_options() const { return own_options; }

    // The kernel, if it is loaded or a pack has it. While the stream is captured, a kernel that is
    // not loaded throws a cold_kernel error.
    template <class Params>
    std::optional<kernel<Params>> find(typed_spec<Params> const& spec, stream const* stream) const {
        if (auto loaded = loaded_kernels->find(spec)) return loaded;
        auto shipped = found_images->find_shipped(spec);
        if (!shipped) return {};
        if (stream != nullptr && stream->is_captured()) throw cold_kernel_error(spec.spelled());
        return loaded_kernels->load(typed_image<Params>{*std::move(shipped), spec.grid});
    }
    // Waits until all compilations that were asked for have ended.
    void wait() const { queue->wait(); }
    tier_counters count() const;
    // Counts and logs a problem that begins with a generic kernel.
    void begin(std::string const& subject) const;

  private:
    friend class tier_state;
    struct atomic_counters {
        std::atomic<std::uint64_t> begun = 0, unchanged = 0, compiled = 0, taken = 0, failed = 0,
                                   compared = 0, decided = 0, recorded = 0, unrecorded = 0;
    };

    images const* found_images;
    kernels const* loaded_kernels;
    config_source const* chosen_configs;
    options own_options;
    std::shared_ptr<atomic_counters> counters = std::make_shared<atomic_counters>();
    std::shared_ptr<task_queue> queue = std::make_shared<task_queue>();
};
// The tiers that a family may use, null if there are none; and the stream of the next launch, null
// if it is not known. The background thread starts with that many launches of the kernel, 0 for at
// once, so that its start delays none before; a thread that has started searches at once.
struct tier_source {
    spio::tiers const* tiers = nullptr;
    spio::stream const* stream = nullptr;
    int awaited_launches = 0;
};

// The part of tiered<Ready> that does not depend on the type of the kernels. The background thread
// offers better kernels; the next launch loads them, and launches use the first of them. If there
// are several, launches time them in turn until the fastest is known.
class tier_state {
  public:
    // Finds better kernels for a problem on the background thread: find() returns how many. keep()
    // gets the number of the fastest of several, when it is known. The search begins at once, or
    // with that many launches from now on, with a wait, or when the queue's thread runs already.
    static void improve(std::shared_ptr<tier_state> const&, tiers const&,
                        std::string const& subject, std::function<std::size_t()> find,
                        std::function<void(std::size_t, double microseconds)> keep,
                        int awaited_launches);
    // Waits until improve() has ended on the background thread.
    void wait() const {
        if (queue) queue->wait();
    }
    // Loads what is offered, but not while the stream is captured; without a stream (null), not
    // while this thread captures one.
    void take(stream const*);
    // The turn of the next launch; nothing if it need not be timed.
    std::optional<live_choice::turn> turn(stream const&);

    // Counts a launch, and lets the search begin if it is the last that it waits for.
    void count_launch();

    // The launches that the search waits for; 0 if it has begun, or if there is none.
    std::atomic<int> awaited_launches = 0;
    // Whether take(), or turn(), has something to do.
    std::atomic<bool> is_offered = false, is_compared = false;
    std::optional<live_choice> choice; // written before is_compared is set

  protected:
    ~tier_state() = default;

  private:
    std::shared_ptr<task_queue> queue = {};
    std::shared_ptr<tiers::atomic_counters> counters = {};
    std::string subject = {};
    std::function<void(std::size_t, double)> keep = {};
    std::size_t offered = 0;
    std::vector<std::size_t> numbers = {}; // of the kernels that are loaded
    std::atomic<bool> is_taking = false;   // lets one launch load at a time

    // Loads the offered kernel of this number, and appends it to the list of loaded ones.
    virtual void load(std::size_t number) = 0;
    // Makes launches use the loaded kernel at this place of the list.
    virtual void select(std::size_t place) = 0;
    virtual void end_loading() = 0;

    // Called on the background thread: find() offers kernels. If it fails, launches keep the kernel
    // that they use.
    void search(std::function<std::size_t()> const& find);
    void fail(std::exception const&);
    void settle(live_choice::verdict const&);
};

// The kernels of a problem: at first generic ones, later those compiled for the problem alone.
// Copies of the object share them. Ready is a class of loaded kernels and of what their launch
// needs.
template <class Ready> class tiered {
  public:
    explicit tiered(Ready first) : shared(std::make_shared<state>(std::move(first))) {}

    // The kernels of the next launch in the stream. Kernels that the background thread has compiled
    // are loaded here and take over, unless the stream is captured.
    Ready const& current(stream const& stream) const {
        if (shared->awaited_launches.load(std::memory_order_relaxed) > 0) [[unlikely]]
            shared->count_launch();
        if (shared->is_offered.load(std::memory_order_acquire)) [[unlikely]]
            shared->take(&stream);
        return latest();
    }
    // Calls f(ready), which must launch `ready` in the stream: the current kernels or, while live
    // tuning has not found the fastest, those whose turn it is. A launch is timed only if it is
    // comparable: of the same sizes as the others.
    template <class F> void launch(stream const& stream, bool is_comparable, F f) const {
        auto const* now = &current(stream);
        if (is_comparable && shared->is_compared.load(std::memory_order_acquire)) [[unlikely]] {
            if (auto turn = shared->turn(stream)) {
                auto const& ready = *shared->better[turn->candidate];
                shared->choice->time(*std::move(turn), stream, [&] { f(ready); });
                return;
            }
            now = &latest(); // the fastest, if it is known since
        }
        f(*now);
    }
    // The kernels of the last launch, or of the first one to come; and the first kernels of all.
    Ready const& latest() const { return *shared->best.load(std::memory_order_acquire); }
    Ready const& first() const { return shared->first; }
    // Waits for the better kernels, if any are being compiled, and loads them.
    void prepare() const {
        shared->wait();
        shared->take(nullptr);
    }

    // Looks for better kernels on the background thread. find() returns the images of all kernels
    // that may be the fastest, best first, or none to keep the present ones. The next launch calls
    // load() for each. keep() is called with the fastest, if there are several.
    template <class Images>
    void improve(tiers const& tiers, std::string const& subject,
                 std::function<std::vector<Images>()> find,
                 std::function<Ready(Images const&)> load,
                 std::function<void(Images const&, double microseconds)> keep = {},
                 int awaited_launches = 0) const {
        auto const found = std::make_shared<std::vector<Images>>();
        auto const offer = [found, find, load, weak = std::weak_ptr(shared)]() -> std::size_t {
            auto const state = weak.lock();
            if (!state) return 0;
            *found = find();
            for (auto const& images : *found) {
                state->offers.push_back([load, images] { return load(images); });
            }
            return found->size();
        };
        tier_state::improve(
            shared, tiers, subject, offer,
            [found, keep](std::size_t number, double microseconds) {
                if (keep) keep(found->at(number), microseconds);
            },
            awaited_launches);
    }

  private:
    struct state final : tier_state {
        Ready first;
        std::vector<std::unique_ptr<Ready const>> better; // complete before `best` is one of them
        std::atomic<Ready const*> best = &first;
        std::vector<std::function<Ready()>> offers;

        explicit state(Ready ready) : first(std::move(ready)) {}

        void load(std::size_t number) override {
            better.push_back(std::make_unique<Ready const>(offers[number]()));
        }
        void select(std::size_t place) override {
            best.store(better[place].get(), std::memory_order_release);
        }
        void end_loading() override { offers.clear(); }
    };
    std::shared_ptr<state> shared;
};

} // namespace spio
