// Keeps the models that were trained on this machine.
// SPDX-License-Identifier: Apache-2.0
//
// A model is a forest, a table of regression trees, whose text a file has.
module;

#include <atomic>
#include <cstddef>
#include <forward_list>
#include <mutex>
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
};

// The last one that was added comes first. None is ever removed.
struct local_list {
    std::mutex mutex; // guards the list; `count` is its length
    std::forward_list<local_model> models;
    std::atomic<std::size_t> count = 0;
};
local_list& locals() {
    static auto& list = *new local_list(); // never destroyed: threads may choose until the end
    return list;
}

} // namespace

void add_local(std::string_view text, std::string const& file, std::string_view arch) {
    auto trees = forest::parse(text, file);
    auto& [mutex, models, count] = locals();
    std::lock_guard const lock(mutex);
    for (auto const& known : models) {
        if (known.arch != arch || known.trees.name() != trees.name()) continue;
        if (known.text == text) return;
        break; // an older one of this name does not count
    }
    models.push_front({std::string(arch), std::string(text), std::move(trees)});
    count.fetch_add(1, std::memory_order_release);
}

std::string describe_local(forest const& model) {
    return "this machine's learned model " + model.file() + ", trained on " + model.source();
}

forest const* find_local(std::string_view name, std::string_view arch) {
    auto& [mutex, models, count] = locals();
    if (count.load(std::memory_order_acquire) == 0) return nullptr;
    std::lock_guard const lock(mutex);
    for (auto const& known : models) {
        if (known.arch == arch && known.trees.name() == name) return &known.trees;
    }
    return nullptr;
}

std::size_t local_count() { return locals().count.load(std::memory_order_acquire); }

} // namespace spio::model
