// Looks into the cache of compiled images, and empties it.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

module spio.command;

import spio.cache;

namespace spio::command {

namespace {

using cache::file_kind;

// The folder that programs of this user would use. Null if there is none yet, or none is wanted.
cache::folder open_folder(std::string& why_not) {
    auto found =
        cache::folder::of_environment(cache::operating_system(), cache::folder::use::existing);
    if (found) return found;
    if (found.is_missing()) {
        why_not = "nothing is kept yet: " + found.path() + " does not exist";
    } else if (found.refusal() == "SPIO_CACHE is off") {
        why_not = "nothing is kept: SPIO_CACHE is off";
    } else {
        throw failure(exit_code::check_failed,
                      "no cache can be used: " + found.refusal() + "; 'spio doctor' tells more");
    }
    return found;
}

std::string time_text(timespec const& when) {
    std::tm parts = {};
    char text[32];
    if (::gmtime_r(&when.tv_sec, &parts) == nullptr) return "?";
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

struct looked_at {
    cache::kept_file file;
    cache::examination found;
};

// All entries of a folder, each read and compared with its digest.
struct survey {
    std::vector<looked_at> entries;
    std::uint64_t bytes = 0, damaged = 0, unfinished = 0, aside = 0, foreign = 0;
    std::string complaint;
};

survey survey_of(cache::folder const& in, surroundings const& around) {
    auto& system = cache::operating_system();
    progress const telling(around, "looking through " + printable(in.path()));
    survey all;
    auto const inventory = cache::inventory_of(system, in);
    all.complaint = inventory.complaint;
    for (auto const& file : inventory.files) {
        all.unfinished += file.kind == file_kind::temporary;
        all.aside += file.kind == file_kind::aside;
        all.foreign += file.kind == file_kind::foreign;
        if (file.kind != file_kind::entry) continue;
        auto found = cache::examine(system, in, file.name);
        all.bytes += file.bytes;
        all.damaged += !found.what;
        // Images may be large, and only what they are is told.
        if (found.what) found.what->cubin.clear();
        all.entries.push_back({file, std::move(found)});
    }
    return all;
}

json survey_json(std::string const& path, survey const& all) {
    auto const entries = json_of_each(all.entries, [](looked_at const& each) {
        auto const& what = each.found.what;
        return json::object({{"name", each.file.name},
                             {"bytes", each.file.bytes},
                             {"used", time_text(each.file.used)},
                             {"symbol", what ? json(what->symbol) : json(nullptr)},
                             {"arch", what ? json(what->arch) : json(nullptr)},
                             {"complaint", what ? json(nullptr) : json(each.found.complaint)}});
    });
    return json::object({{"path", path},
                         {"entries", entries},
                         {"bytes", all.bytes},
                         {"damaged", all.damaged},
                         {"unfinished", all.unfinished},
                         {"moved_aside", all.aside},
                         {"foreign", all.foreign},
                         {"complaint", all.complaint.empty() ? json(nullptr) : all.complaint}});
}

std::string rest_of(survey const& all) {
    std::string text;
    auto const add = [&](std::uint64_t count, char const* what) {
        if (count > 0) text += ", " + std::to_string(count) + " " + what;
    };
    add(all.damaged, "damaged");
    add(all.unfinished, "unfinished");
    add(all.aside, "moved aside");
    add(all.foreign, "not ours");
    return text;
}

exit_code look(line const& asked, surroundings const& around, bool verifies) {
    std::string why_not;
    auto const in = open_folder(why_not);
    bool const as_json = asked.has(json_option.name);
    auto const all = in ? survey_of(in, around) : survey();
    bool const is_good = all.damaged == 0 && all.complaint.empty();
    auto const code = verifies && !is_good ? exit_code::check_failed : exit_code::success;
    if (as_json) {
        around.print(survey_json(in.path(), all).text() + "\n");
        return code;
    }
    if (!in) {
        around.print(printable(why_not) + "\n");
        return code;
    }
    std::string text;
    for (auto const& [file, found] : all.entries) {
        if (verifies && found.what) continue;
        text += "  " + padded(found.what ? found.what->symbol : file.name.substr(0, 16), 40) +
                padded(found.what ? found.what->arch : "-", 10) +
                padded(spelled_bytes(file.bytes), 12) + time_text(file.used) +
                (found.what ? "" : "  damaged: " + found.complaint) + "\n";
    }
    text = in.path() + ": " + counted(all.entries.size(), "image") + ", " +
           spelled_bytes(all.bytes) + rest_of(all) +
           (verifies && is_good ? ", all as written" : "") + "\n" + text;
    around.print(printable(text));
    if (!all.complaint.empty()) around.tell("spio: " + printable(all.complaint) + "\n");
    return code;
}

exit_code run_clear(line const& asked, surroundings const& around) {
    std::string why_not;
    auto const in = open_folder(why_not);
    auto const age = asked.has("--all") ? std::chrono::seconds(-1) : cache::limits().litter_age;
    auto const done = in ? cache::clear(cache::operating_system(), in, age) : cache::clearance();
    bool const is_good = done.complaint.empty();
    if (asked.has(json_option.name)) {
        around.print(json::object({{"path", in.path()},
                                   {"removed", done.removed},
                                   {"bytes", done.bytes},
                                   {"left", done.left},
                                   {"complaint", is_good ? json(nullptr) : json(done.complaint)}})
                         .text() +
                     "\n");
    } else if (!in) {
        around.print(printable(why_not) + "\n");
    } else {
        around.print(printable(in.path() + ": " + counted(done.removed, "file") + " removed, " +
                               spelled_bytes(done.bytes) + "; " + std::to_string(done.left) +
                               " left\n"));
    }
    if (is_good) return exit_code::success;
    around.tell("spio: " + printable(done.complaint) + "\n");
    return exit_code::tool_failed;
}

} // namespace

subcommand cache_list() {
    return {.name = "cache list",
            .summary = "the images that were compiled at run time and kept",
            .lesson = "The folder is that of SPIO_CACHE_DIR, else spio in XDG_CACHE_HOME or in\n"
                      "~/.cache. Nothing in it is used or changed by this.\n",
            .options = {json_option},
            .run = [](line const& asked, surroundings const& around) {
                return look(asked, around, false);
            }};
}

subcommand cache_verify() {
    return {.name = "cache verify",
            .summary = "whether kept images are as they were written",
            .lesson =
                "Compares each file with its digest; nothing is loaded. A damaged one is no\n"
                "danger: it is moved aside when it is asked for, and compiled again. Ends with\n"
                "1 if there is one.\n",
            .options = {json_option},
            .run = [](line const& asked, surroundings const& around) {
                return look(asked, around, true);
            }};
}

subcommand cache_clear() {
    return {.name = "cache clear",
            .summary = "remove what is kept; programs that run do not mind",
            .lesson =
                "Removes kept images and what was moved aside, and nothing that Spio has not\n"
                "named. What somebody may be about to finish stays for an hour.\n",
            .options = {json_option, {"--all", "", "what was begun a moment ago, too"}},
            .run = run_clear};
}

} // namespace spio::command
