// Keeps the models that were trained on this machine.
// SPDX-License-Identifier: Apache-2.0
//
// A model is a forest, a table of regression trees, whose text a file has.
module;

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

module spio.model;

namespace spio::model {

namespace {

// The model of a file, for kernels of one architecture.
struct local_model {
    std::string arch, text;
    forest trees;
    local_model const* next = nullptr; // the one that was added before
    std::size_t count = 1;             // of the models from this one on
};

// A list whose first model was added last. None is ever removed or destroyed: threads may choose
// until the program ends. No lock is held, which a forked process would find held.
constinit std::atomic<local_model const*> newest = nullptr;

// The first model of a list, from `model` on, that has this name; null if there is none.
local_model const* find_in(local_model const* model, std::string_view name, std::string_view arch) {
    while (model != nullptr && (model->arch != arch || model->trees.name() != name)) {
        model = model->next;
    }
    return model;
}

} // namespace

void add_local(std::string_view text, std::string const& file, std::string_view arch) {
    auto model = std::make_unique<local_model>(
        local_model{std::string(arch), std::string(text), forest::parse(text, file)});
    auto const* next = newest.load(std::memory_order_acquire);
    do {
        // An older one of this name does not count.
        auto const* const known = find_in(next, model->trees.name(), arch);
        if (known != nullptr && known->text == text) return;
        model->next = next;
        model->count = next == nullptr ? 1 : next->count + 1;
    } while (!newest.compare_exchange_weak(next, model.get(), std::memory_order_acq_rel));
    (void)model.release(); // in the list
}

std::string describe_local(forest const& model) {
    return "this machine's learned model " + model.file() + ", trained on " + model.source();
}

forest const* find_local(std::string_view name, std::string_view arch) {
    auto const* const found = find_in(newest.load(std::memory_order_acquire), name, arch);
    return found == nullptr ? nullptr : &found->trees;
}

std::size_t local_count() {
    auto const* const model = newest.load(std::memory_order_acquire);
    return model == nullptr ? 0 : model->count;
}

} // namespace spio::model
