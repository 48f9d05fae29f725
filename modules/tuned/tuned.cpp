// Reads and writes the file of measured configurations.
// SPDX-License-Identifier: Apache-2.0
//
// A table has, for a GPU, an architecture and a problem, the fastest configuration that was
// measured. A configuration is how blocks and threads share a problem. A trusted file is one that
// no other user could have written. A finder returns the configuration for a problem, or nothing. A
// config_query is a problem of a family, for an architecture, that needs a configuration.
module;

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>

module spio.tuned;

import spio.cache;
import spio.error;
import spio.spec;
import spio.system;
import spio.text;

namespace spio::tuned {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes = 16 << 20;
constexpr std::string_view separator = " | ";
constexpr std::size_t parts_of_line = 6;

// The parts of a line; nothing unless there are just six, none of them empty.
std::optional<std::array<std::string_view, parts_of_line>> split(std::string_view line) {
    std::array<std::string_view, parts_of_line> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        bool const is_last = i + 1 == parts.size();
        auto const end = is_last ? line.size() : line.find(separator);
        if (end == line.npos || end == 0) return {};
        parts[i] = line.substr(0, end);
        if (!is_last) line.remove_prefix(end + separator.size());
    }
    if (parts.back().find('|') != std::string_view::npos) return {};
    return parts;
}

// The positive number that the whole text is, if it is one.
std::optional<double> microseconds_in(std::string_view text) {
    double value = 0;
    auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const is_whole = status == std::errc() && end == text.data() + text.size();
    if (!is_whole || !std::isfinite(value) || value <= 0) return {};
    return value;
}

// Whether a part can be written to a line and read back.
bool is_part(std::string_view text) {
    return !text.empty() && text.find('|') == text.npos && !text.starts_with(' ') &&
           !text.ends_with(' ') && !text.starts_with('#') &&
           std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

// Locks a file beside the table. Without locks in the file system nothing is held: the last writer
// of the table counts.
file_lock lock_of_table(fs::path const& file) {
    constexpr int most_milliseconds = 10'000;
    auto const name = file.string() + ".lock";
    file_lock lock(operating_system(), AT_FDCWD, name.c_str(), /*byte=*/0, most_milliseconds);
    if (lock.reached() == file_lock::state::not_opened) {
        throw error(error_kind::io, "lock", name,
                    "it cannot be opened: " + std::generic_category().message(errno));
    }
    if (lock.reached() == file_lock::state::busy) {
        throw error(error_kind::io, "lock", name, "another process has held it for 10 seconds");
    }
    return lock;
}

} // namespace

table parse(std::string_view text, std::string const& file) {
    table table;
    for (int number = 1; !text.empty(); ++number) {
        auto const end = std::min(text.find('\n'), text.size());
        auto const line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.starts_with('#')) continue;
        auto const parts = split(line);
        auto const time = parts ? microseconds_in((*parts)[4]) : std::nullopt;
        if (!time || !std::ranges::all_of(*parts, is_part)) {
            throw error(error_kind::invalid, "read", file + ":" + std::to_string(number),
                        "it is no line such as 'GPU | ARCH | PROBLEM | CONFIGURATION | "
                        "MICROSECONDS | KERNELS'; mend or remove it");
        }
        auto const& [gpu, arch, problem, config, microseconds, kernel_text] = *parts;
        key const place = {std::string(gpu), std::string(arch), std::string(problem)};
        table.insert_or_assign(place, choice{std::string(config), *time, std::string(kernel_text)});
    }
    return table;
}

std::string digest_of_kernels() { return std::string(kernel_text_digest().substr(0, 16)); }

std::string text_of(table const& table) {
    std::string text = "# Measured by 'spio tune': GPU | architecture | problem | configuration | "
                       "microseconds of a launch | digest of the kernels' text\n";
    for (auto const& [key, choice] : table) {
        std::array<char, 32> digits;
        auto const written =
            std::to_chars(digits.data(), digits.data() + digits.size(), choice.microseconds);
        std::string const number(digits.data(), written.ptr);
        for (std::string const& part :
             {key.gpu, key.arch, key.line, choice.config, number, choice.kernel_text}) {
            if (is_part(part)) continue;
            throw error(error_kind::invalid, "write", "a measured configuration",
                        "'" + printable(part) + "' cannot stand in a line of the table");
        }
        if (!microseconds_in(number)) {
            throw error(error_kind::invalid, "write", "a measured configuration",
                        number + " microseconds is no time");
        }
        text += key.gpu + " | " + key.arch + " | " + key.line + " | " + choice.config + " | " +
                number + " | " + choice.kernel_text + "\n";
    }
    return text;
}

place place_of_environment(system_calls& system, folder::use use) {
    char const* const value = system.environment("SPIO_TUNED");
    std::string const named = value == nullptr ? "" : value;
    if (!parse_switch(named).value_or(true)) return {.refusal = "SPIO_TUNED is off"};
    if (named.starts_with('/')) return {.file = named, .is_named = true};
    if (!named.empty() && !parse_switch(named).value_or(false)) {
        return {.refusal = "SPIO_TUNED is '" + named +
                           "', which is neither off nor an absolute "
                           "path"};
    }
    auto const caches = cache::folder_of_environment(system, use);
    if (!caches) return {.refusal = caches.refusal()};
    return {.file = fs::path(caches.path()) / "tuned.txt"};
}

table read(fs::path const& file) {
    trusted_file const opened(file, trusted_file::use::data);
    if (opened.is_missing()) return {};
    if (!opened) throw error(error_kind::invalid, "read", file.string(), opened.refusal());
    if (opened.size() > most_bytes) {
        throw error(error_kind::invalid, "read", file.string(),
                    "it has more than " + std::to_string(most_bytes) + " bytes");
    }
    return parse(opened.read(), file.string());
}

void add(fs::path const& file, table const& choices) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    auto const lock = lock_of_table(file);
    auto table = read(file);
    for (auto const& [key, choice] : choices) table.insert_or_assign(key, choice);
    write_file(file, text_of(table), trusted_mode);
}

config_source::finder finder_of(table const& choices, std::string_view gpu) {
    // The first choice for an architecture and a line counts, which is that of the first GPU by
    // name.
    std::map<std::pair<std::string, std::string>, std::string> configs;
    for (auto const& [key, choice] : choices) {
        if (choice.kernel_text != digest_of_kernels()) continue;
        if (gpu.empty() || key.gpu == gpu) configs.try_emplace({key.arch, key.line}, choice.config);
    }
    return [configs = std::move(configs)](config_query const& query) -> std::optional<std::string> {
        auto const found =
            configs.find({text_of(query.arch), std::string(query.family) + " " + query.problem});
        if (found == configs.end()) return {};
        return found->second;
    };
}

} // namespace spio::tuned
