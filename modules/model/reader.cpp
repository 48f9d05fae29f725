// Reads a table of trees, and refuses whatever breaks its format.
// SPDX-License-Identifier: Apache-2.0
//
// A table is lines of text: a head, a line for each feature, and a line for each decision tree. The
// module's interface has an example. A split compares a feature with a threshold; rows below it go
// on at the split's left child, others at its right child, until they come to a leaf.
module;

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.model;

import spio.error;

namespace spio::model {

class forest::reader {
  public:
    reader(std::string_view text, std::string const& file) : rest(text), file_name(file) {}

    forest read() {
        if (rest.size() > most_bytes) {
            fail("it has more than " + std::to_string(most_bytes) + " bytes");
        }
        table.file_name = file_name;
        next_line();
        if (line == "spio-model 2") {
            fail("a table of format 2 was trained for an older version of the library, which read "
                 "other trees; train it again");
        }
        if (line != "spio-model 3") fail("the first line must be 'spio-model 3'");
        table.title = value_of_line("name ");
        table.trained_chip = value_of_line("chip ");
        table.origin = value_of_line("source ");
        while (next_line() && take("feature ")) read_feature();
        if (table.feature_names.empty()) fail("a feature must come here");
        // Node 0 is no tree's, so that there is one before each leaf.
        table.nodes.resize(1);
        do {
            if (!take("tree ")) fail("a tree must come here");
            if (table.trees.size() == most_trees) {
                fail("there are more than " + std::to_string(most_trees) + " trees");
            }
            read_tree();
        } while (next_line());
        return std::move(table);
    }

  private:
    std::string_view rest, line;
    std::string const& file_name;
    std::size_t line_number = 0;
    forest table;

    [[noreturn]] void fail(std::string reason) const {
        throw error(error_kind::invalid, "read", file_name + ":" + std::to_string(line_number),
                    std::move(reason));
    }
    // Takes the next line that is no comment; false at the end. Each line ends with a line feed.
    bool next_line() {
        do {
            if (rest.empty()) {
                line = {};
                return false;
            }
            ++line_number;
            auto const end = rest.find('\n');
            if (end == rest.npos) fail("the last line does not end");
            line = rest.substr(0, end);
            rest.remove_prefix(end + 1);
        } while (line.starts_with('#'));
        return true;
    }
    // Takes `start` off the line, if the line starts with it.
    bool take(std::string_view start) {
        if (!line.starts_with(start)) return false;
        line.remove_prefix(start.size());
        return true;
    }
    // The rest of the next line, which must start with `start`.
    std::string value_of_line(std::string_view start) {
        next_line();
        if (!take(start) || line.empty()) {
            fail("'" + std::string(start) + "…' must come here");
        }
        return std::string(line);
    }
    // The text before the next space, which is taken off the line with it. The last one has none.
    std::string_view part() {
        auto const end = std::min(line.find(' '), line.size());
        auto const text = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        return text;
    }
    // A finite float by its bits.
    float number(std::string_view digits) const {
        std::uint32_t bits = 0;
        auto const* const end = digits.data() + digits.size();
        auto const [stop, status] = std::from_chars(digits.data(), end, bits, 16);
        bool const is_whole = digits.size() == 8 && status == std::errc() && stop == end;
        auto const value = std::bit_cast<float>(bits);
        if (!is_whole || !std::isfinite(value)) {
            fail("'" + std::string(digits.substr(0, 40)) +
                 "' is no finite number of eight hexadecimal digits");
        }
        return value;
    }
    // The value of a digit of base 64.
    unsigned digit(char c) const {
        if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
        if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A') + 10;
        if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a') + 36;
        if (c == '-' || c == '_') return c == '-' ? 62 : 63;
        fail("a tree has a character that is no digit");
    }
    // Takes the value of so many digits off the line.
    unsigned take_digits(std::size_t count) {
        if (line.size() < count) fail("the tree ends before all its leaves have come");
        unsigned value = 0;
        for (char const c : line.substr(0, count)) value = 64 * value + digit(c);
        line.remove_prefix(count);
        return value;
    }

    void read_feature() {
        if (line.ends_with(' ')) fail("the line of a feature ends with a space");
        auto const name = part();
        auto const least = number(part()), greatest = number(part());
        bool const is_known =
            std::ranges::find(table.feature_names, name) != table.feature_names.end();
        if (name.empty() || is_known || !(least <= greatest)) {
            fail("it is no new feature with its least and its greatest value");
        }
        for (bool is_first = true; !line.empty(); is_first = false) {
            auto const threshold = number(part());
            if (!is_first && !(splits.back().threshold < key_of(threshold))) {
                fail("the thresholds do not increase");
            }
            if (splits.size() == most_splits) {
                fail("there are more than " + std::to_string(most_splits) + " thresholds");
            }
            splits.push_back(
                {key_of(threshold), static_cast<std::uint32_t>(table.feature_names.size())});
        }
        if (table.feature_names.size() == most_features) {
            fail("there are more than " + std::to_string(most_features) + " features");
        }
        table.feature_names.emplace_back(name);
        table.least_values.push_back(least);
        table.greatest.push_back(greatest);
    }

    struct split {
        key threshold;
        std::uint32_t feature;
    };
    // A node as the text has it: a leaf with its value, or a split and the number of its right
    // child in the tree. The left child is the next node.
    struct text_node {
        std::int16_t value;
        split condition;
        std::size_t right;
    };
    std::vector<split> splits;
    std::vector<text_node> tree; // the last one
    std::size_t deepest = 0;     // the depth of its deepest leaf

    void read_tree() {
        tree.clear();
        deepest = 0;
        read_node(/*depth=*/0);
        if (!line.empty()) fail("the line has more than the nodes of a tree");
        place_tree();
    }
    // Reads a node and those below it.
    void read_node(std::size_t depth) {
        if (depth > most_depth) fail("the tree is deeper than " + std::to_string(most_depth));
        if (table.nodes.size() - 1 + tree.size() == most_nodes) {
            fail("there are more than " + std::to_string(most_nodes) + " nodes");
        }
        deepest = std::max(deepest, depth);
        auto const number = take_digits(2);
        if (number >= most_splits) {
            auto const value = 64 * (number - most_splits) + take_digits(1);
            tree.push_back({static_cast<std::int16_t>(static_cast<int>(value) - 32768), {}, 0});
            return;
        }
        if (number >= splits.size()) {
            fail("there is no split " + std::to_string(number));
        }
        auto const place = tree.size();
        tree.push_back({0, splits[number], 0});
        read_node(depth + 1);
        tree[place].right = tree.size();
        read_node(depth + 1);
    }
    // Writes the nodes of the tree behind those of the trees before it: two siblings after the
    // other, and behind them the children of both, which lie in the same line of a cache or the
    // next one.
    void place_tree() {
        static_assert(most_nodes < 1 << 24 && most_features <= 1 << 8, "a node has bits for them");
        auto const root = static_cast<std::uint32_t>(table.nodes.size());
        table.trees.push_back({root, static_cast<std::uint32_t>(deepest), /*features=*/0});
        table.nodes.resize(root + tree.size());
        std::uint32_t next = root + 1;
        std::vector<std::uint32_t> places(tree.size(), root); // of the nodes of the text
        std::vector<std::size_t> waiting = {0};               // whose children have no place
        auto const place_children = [&](std::size_t parent) {
            places[parent + 1] = next++;
            places[tree[parent].right] = next++;
        };
        while (!waiting.empty()) {
            auto const parent = waiting.back();
            waiting.pop_back();
            if (tree[parent].right == 0) continue;
            place_children(parent);
            for (auto const child : {parent + 1, tree[parent].right}) {
                if (tree[child].right == 0) continue;
                place_children(child);
                waiting.insert(waiting.end(), {child + 1, tree[child].right});
            }
        }
        auto& features = table.trees.back().features;
        for (std::size_t i = 0; i < tree.size(); ++i) {
            auto const& [value, condition, right] = tree[i];
            auto const place = places[i];
            if (right == 0) {
                table.nodes[place] = {.threshold = forest::threshold_of_leaf(value),
                                      .feature = 0,
                                      .left = (place - 1) & 0xffffff};
                continue;
            }
            features = std::max(features, condition.feature + 1);
            table.nodes[place] = {.threshold = condition.threshold,
                                  .feature = condition.feature & 0xff,
                                  .left = places[i + 1] & 0xffffff};
        }
    }
};

forest forest::parse(std::string_view text, std::string const& name) {
    return reader(text, name).read();
}

std::string describe_shipped(forest const& model) {
    return "the learned model for " + model.chip() + ", trained on " + model.source();
}

std::vector<forest> const& shipped_models::read(std::span<std::string_view const> texts,
                                                std::span<std::string_view const> features) {
    if (auto const* const models = known.load(std::memory_order_acquire)) return *models;
    auto models = std::make_unique<std::vector<forest>>();
    for (auto const text : texts) {
        models->push_back(forest::parse(text, "a shipped model"));
        if (!std::ranges::equal(models->back().features(), features)) {
            throw error(error_kind::internal, "read", models->back().name(),
                        "its features are not those of this build; train it again");
        }
    }
    std::vector<forest> const* others = nullptr;
    if (!known.compare_exchange_strong(others, models.get(), std::memory_order_acq_rel)) {
        return *others;
    }
    return *models.release();
}

} // namespace spio::model
