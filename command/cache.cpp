// Lists, verifies and clears the folder that keeps images: kernels that were compiled at run time.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is a file of the folder with one image, named by a key: a digest of all that the image
// depends on. An inventory lists the files of the cache's folder.
module;

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

module spio.command;

import spio.cache;
import spio.system;

namespace spio::command {

namespace {

using cache::file_kind;

// Opens the cache folder that this user's programs would use. If there is none, returns a folder
// that is false, and sets `reason` to a sentence for people.
cache::folder open_folder(std::string& reason) {
    auto folder =
        cache::folder_of_environment(cache::operating_system(), cache::folder::use::existing);
    if (folder) return folder;
    if (folder.is_missing()) {
        reason = "nothing is kept yet: " + folder.path() + " does not exist\n";
    } else if (folder.refusal() == "SPIO_CACHE is off") {
        reason = "nothing is kept: SPIO_CACHE is off\n";
    } else {
        throw failure(exit_status::check_failed,
                      "no cache can be used: " + folder.refusal() + "; 'spio doctor' tells more");
    }
    return folder;
}

// The time in UTC, such as 2026-01-31T12:00:00Z.
std::string format_time(timespec const& time) {
    std::tm fields = {};
    char text[32];
    if (::gmtime_r(&time.tv_sec, &fields) == nullptr) return "?";
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields)};
}

// A file that holds an image, and the image, or why it is damaged.
struct examined_entry {
    cache::cached_file file;
    cache::examination examination;
};

// What is in a cache folder: all files with images, each compared with its digest, and how many
// other files there are: unfinished ones, damaged ones that were moved aside, and foreign ones,
// whose names Spio does not give.
struct survey {
    std::vector<examined_entry> entries;
    std::uint64_t bytes = 0, damaged = 0, unfinished = 0, aside = 0, foreign = 0;
    std::string complaint;

    bool is_good() const { return damaged == 0 && complaint.empty(); }
};

// Reads all entries of a folder, and shows on a terminal that it does.
survey survey_of(cache::folder const& folder, io const& io) {
    auto& system = cache::operating_system();
    progress const progress(io, "looking through " + printable(folder.path()));
    survey survey;
    auto const inventory = cache::inventory_of(system, folder);
    survey.complaint = inventory.complaint;
    for (auto const& file : inventory.files) {
        survey.unfinished += file.kind == file_kind::temporary;
        survey.aside += file.kind == file_kind::aside;
        survey.foreign += file.kind == file_kind::foreign;
        if (file.kind != file_kind::entry) continue;
        auto examination = cache::examine(system, folder, file.name);
        survey.bytes += file.bytes;
        survey.damaged += !examination.value;
        // Free the image: it may be large, and only its description is needed.
        if (examination.value) examination.value->cubin.clear();
        survey.entries.push_back({file, std::move(examination)});
    }
    return survey;
}

// An entry, and below the whole folder, for programs (--json); null stands for what is unknown.
json json_of(examined_entry const& entry) {
    auto const& [file, examination] = entry;
    auto const& intact = examination.value;
    return json::object({{"name", file.name},
                         {"bytes", file.bytes},
                         {"used", format_time(file.used)},
                         {"symbol", intact ? json(intact->symbol) : json(nullptr)},
                         {"arch", intact ? json(intact->arch) : json(nullptr)},
                         {"complaint", intact ? json(nullptr) : json(examination.complaint)}});
}

json json_of(survey const& survey, std::string const& path) {
    return json::object(
        {{"path", path},
         {"entries", json::array(survey.entries, [](auto const& e) { return json_of(e); })},
         {"bytes", survey.bytes},
         {"damaged", survey.damaged},
         {"unfinished", survey.unfinished},
         {"moved_aside", survey.aside},
         {"foreign", survey.foreign},
         {"complaint", json_or_null(survey.complaint)}});
}

// The line of an entry, for people.
std::string text_of(examined_entry const& entry) {
    auto const& [file, examination] = entry;
    auto const& intact = examination.value;
    return "  " + padded(intact ? intact->symbol : file.name.substr(0, 16), 40) +
           padded(intact ? intact->arch : "-", 10) + padded(format_bytes(file.bytes), 12) +
           format_time(file.used) + (intact ? "" : "  damaged: " + examination.complaint) + "\n";
}

// The report for people: what the folder `path` has and, if it `verifies`, which files are damaged.
std::string text_of(survey const& survey, std::string const& path, bool verifies) {
    auto text = path + ": " + format_count(survey.entries.size(), "image") + ", " +
                format_bytes(survey.bytes);
    auto const add = [&](std::uint64_t count, char const* adjective) {
        if (count > 0) text += ", " + std::to_string(count) + " " + adjective;
    };
    add(survey.damaged, "damaged");
    add(survey.unfinished, "unfinished");
    add(survey.aside, "moved aside");
    add(survey.foreign, "not ours");
    text += verifies && survey.is_good() ? ", all as written\n" : "\n";
    for (auto const& entry : survey.entries) {
        if (!verifies || !entry.examination.value) text += text_of(entry);
    }
    return text;
}

enum class purpose { list, verify };

// Prints what the folder of the cache holds: a list of all entries, or those that verifying has
// found damaged.
exit_status print_entries(arguments const& args, io const& io, purpose purpose) {
    bool const verifies = purpose == purpose::verify;
    std::string reason;
    auto const folder = open_folder(reason);
    auto const survey = folder ? survey_of(folder, io) : command::survey();
    print_result(args, io, json_of(survey, folder.path()),
                 folder ? text_of(survey, folder.path(), verifies) : reason);
    if (!survey.complaint.empty() && !args.has(json_option.name)) {
        io.tell("spio: " + printable(survey.complaint) + "\n");
    }
    return verifies && !survey.is_good() ? exit_status::check_failed : exit_status::success;
}

exit_status run_clear(arguments const& args, io const& io) {
    std::string reason;
    auto const folder = open_folder(reason);
    constexpr std::chrono::seconds any_age(-1);
    auto const age = args.has("--all") ? any_age : cache::limits().stale_age;
    auto const done =
        folder ? cache::clear(cache::operating_system(), folder, age) : cache::clearance();
    print_result(args, io,
                 json::object({{"path", folder.path()},
                               {"removed", done.removed},
                               {"bytes", done.bytes},
                               {"left", done.remaining},
                               {"complaint", json_or_null(done.complaint)}}),
                 folder ? folder.path() + ": " + format_count(done.removed, "file") + " removed, " +
                              format_bytes(done.bytes) + "; " + std::to_string(done.remaining) +
                              " left\n"
                        : reason);
    if (done.complaint.empty()) return exit_status::success;
    io.tell("spio: " + printable(done.complaint) + "\n");
    return exit_status::tool_failed;
}

} // namespace

subcommand cache_list() {
    return {.name = "cache list",
            .summary = "list the images that were compiled at run time and kept",
            .details = "The folder is the one that SPIO_CACHE_DIR names, or else spio in\n"
                       "XDG_CACHE_HOME or ~/.cache. Nothing in it is loaded or changed.\n",
            .options = {json_option},
            .run = [](arguments const& args, io const& io) {
                return print_entries(args, io, purpose::list);
            }};
}

subcommand cache_verify() {
    return {.name = "cache verify",
            .summary = "check that the kept images are undamaged",
            .details =
                "Compares each file with its digest; nothing is loaded. A damaged image does no\n"
                "harm: when it is asked for, it is moved aside and compiled again. Ends with 1\n"
                "if an image is damaged.\n",
            .options = {json_option},
            .run = [](arguments const& args, io const& io) {
                return print_entries(args, io, purpose::verify);
            }};
}

subcommand cache_clear() {
    return {.name = "cache clear",
            .summary = "remove the kept images, even while programs use them",
            .details =
                "Removes kept images and files that were moved aside, but no file that Spio did\n"
                "not write. Files that another process may still be writing stay for an hour.\n",
            .options = {json_option, {"--all", "", "remove unfinished files of any age, too"}},
            .run = run_clear};
}

} // namespace spio::command
