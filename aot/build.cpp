// Builds packs, and compiles nothing twice.
// SPDX-License-Identifier: Apache-2.0
module;

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.aot;

import spio.image;
import spio.spec;
import spio.text;
import :compile;
import :entry;
import :parallel;
import :record;

namespace spio::aot {

namespace {

namespace fs = std::filesystem;

// A kernel of a line of the manifest, for an architecture.
struct task {
    std::size_t line, kernel;
    spec of;
};

class builder {
  public:
    builder(build_request const& r, fs::path in)
        : request(r), folder(std::move(in)), version(version_of(r.compiler)) {
        for (auto const& option : r.compiler.options) refuse_files(option);
    }

    // Those that are not one that came before, line by line for each architecture.
    std::vector<task> tasks() const {
        std::vector<task> all;
        for (auto const& arch : request.archs) {
            std::set<std::string> known;
            for (auto const& each : tasks(parse_arch(arch))) {
                if (known.insert(each.of.symbol).second) all.push_back(each);
            }
        }
        return all;
    }
    // All of an architecture, those too that an earlier line has.
    std::vector<task> tasks(arch arch) const {
        auto const lines =
            specs_of_lines(request.manifest, request.manifest_name, request.families, arch);
        std::vector<task> all;
        for (std::size_t line = 0; line < lines.size(); ++line) {
            for (std::size_t i = 0; i < lines[line].size(); ++i) {
                all.push_back({line, i, lines[line][i]});
            }
        }
        return all;
    }

    built_image build(task const& t) const {
        auto made = record_of(t.of);
        built_image is = {t.of.line(), text_of(t.of.arch), t.of.symbol};
        // What came from other folders is not in the record.
        if (!request.compiler.include_folders.empty() || !is_there(t, made)) {
            auto const start = std::chrono::steady_clock::now();
            auto const out = compile(request.compiler, t.of, places_of(t));
            is.seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            is.is_new = true;
            made.kind = out.kind;
            made.plain_bytes = out.plain_bytes;
            made.checksum = fnv(text_of(out.bytes));
            write_file(file_of(t, ".image"), text_of(out.bytes));
            write_file(file_of(t, ".made"), made.spelled());
        }
        is.bytes = static_cast<std::size_t>(fs::file_size(file_of(t, ".image")));
        is.plain_bytes = made.plain_bytes;
        touch(file_of(t, ".made"));
        return is;
    }

    // A kernel that an earlier line has: there is nothing to do, which is told.
    built_image leave(task const& t) const {
        write_file(file_of(t, ".made"), "as an earlier line\n");
        touch(file_of(t, ".made"));
        return {t.of.line(), text_of(t.of.arch), t.of.symbol};
    }

    to_pack built(task const& t) const {
        auto made = record_of(t.of);
        if (!is_there(t, made)) {
            throw error(error_kind::internal, "pack", t.of.spelled(),
                        "its image in " + folder.string() + " is of another request, or not there");
        }
        auto const bytes = read_file(file_of(t, ".image"));
        auto const view = std::as_bytes(std::span(bytes));
        return {.of = t.of,
                .kind = made.kind,
                .bytes = {view.begin(), view.end()},
                .compiler = version,
                .text_digest = text_digest_of(t.of),
                .plain_bytes = made.plain_bytes};
    }

  private:
    build_request const& request;
    fs::path folder;
    std::string version;

    fs::path file_of(task const& t, char const* extension) const {
        auto const name = std::to_string(t.line) + "-" + text_of(t.of.arch);
        return folder / (name + (t.kernel == 0 ? "" : "." + std::to_string(t.kernel)) + extension);
    }
    places places_of(task const& t) const {
        return {folder / "text", folder / "clang", file_of(t, "")};
    }

    // Build systems compare times: it is as it should be now.
    static void touch(fs::path const& file) {
        fs::last_write_time(file, fs::file_time_type::clock::now());
    }

    // What is in other files would be in no record, and an image of them stale without a word.
    void refuse_files(std::string const& option) const {
        for (std::string_view const start :
             {"-I", "-i", "--include", "--pre-include", "--system-include"}) {
            if (!option.starts_with(start)) continue;
            throw error(error_kind::invalid, "build", "pack " + request.output.string(),
                        "the option " + option +
                            " brings files whose changes nobody would see; a family's own text "
                            "is told by its headers");
        }
    }

    // Everything that an image depends on, with the same words wherever the folder is.
    record record_of(spec const& of) const {
        std::string asked = of.spelled() + "\nby " + of.config + "\ntext " +
                            std::to_string(text_digest_of(of)) + "\n" + version + "\n";
        for (auto const& each : commands_of(request.compiler, of.arch, {"TEXT", "CLANG", "STEM"})) {
            for (auto const& word : each) asked += word + "\n";
        }
        return {.asked = std::move(asked)};
    }
    bool is_there(task const& t, record& made) const {
        if (!fs::exists(file_of(t, ".made")) || !fs::exists(file_of(t, ".image"))) return false;
        return made.read(read_file(file_of(t, ".made"))) &&
               made.checksum == fnv(read_file(file_of(t, ".image")));
    }
};

// The request's folder, or one that goes with it.
struct build_folder {
    fs::path path;
    bool is_own;

    explicit build_folder(build_request const& r) : path(r.folder), is_own(r.folder.empty()) {
        if (!is_own) {
            fs::create_directories(path);
            return;
        }
        std::error_code failed;
        auto name = (fs::temp_directory_path(failed) / "spio-pack-XXXXXX").string();
        if (failed || mkdtemp(name.data()) == nullptr) {
            throw error(error_kind::io, "build", "pack " + r.output.string(),
                        failed ? "TMPDIR: " + failed.message()
                               : name + ": " + std::strerror(errno));
        }
        path = name;
    }
    build_folder(build_folder const&) = delete;
    ~build_folder() {
        std::error_code ignored;
        if (is_own) fs::remove_all(path, ignored);
    }
};

built_pack assemble(builder const& by, std::vector<task> const& tasks, fs::path const& output) {
    std::vector<to_pack> images;
    built_pack is;
    for (auto const& t : tasks) {
        images.push_back(by.built(t));
        auto const& one = images.back();
        is.images.push_back({.line = t.of.line(),
                             .arch = text_of(t.of.arch),
                             .symbol = t.of.symbol,
                             .bytes = one.bytes.size(),
                             .plain_bytes = one.plain_bytes});
    }
    auto const bytes = write_pack(images);
    // What cannot be read again is not shipped.
    pack(bytes, output.string(), {}).verify();
    write_file(output, text_of(bytes));
    is.bytes = bytes.size();
    return is;
}

built_pack build_all(build_request const& request) {
    build_folder const folder(request);
    builder const by(request, folder.path);
    auto const tasks = by.tasks();
    std::vector<built_image> images(tasks.size());
    std::mutex mutex;
    std::size_t done = 0;
    in_parallel(tasks.size(), request.jobs, [&](std::size_t i) {
        images[i] = by.build(tasks[i]);
        std::lock_guard const lock(mutex);
        ++done;
        if (request.progress) request.progress({done, tasks.size(), images[i]});
    });
    auto is = assemble(by, tasks, request.output);
    is.images = std::move(images);
    return is;
}

std::vector<built_image> build_line(build_request const& request, std::size_t line,
                                    std::string const& arch) {
    builder const by(request, request.folder);
    std::vector<built_image> images;
    std::set<std::string> known;
    for (auto const& each : by.tasks(parse_arch(arch))) {
        bool const is_new = known.insert(each.of.symbol).second;
        if (each.line == line) images.push_back(is_new ? by.build(each) : by.leave(each));
    }
    if (images.empty()) {
        throw error(error_kind::invalid, "build", request.manifest_name,
                    "it has " + std::to_string(lines_of(request.manifest).size()) +
                        " lines of kernels, and no number " + std::to_string(line));
    }
    return images;
}

// f(), and what the file system refuses it in words like all else.
template <class F> auto or_told(build_request const& request, F const& f) {
    try {
        return f();
    } catch (fs::filesystem_error const& e) {
        throw error(error_kind::io, "build", "pack " + request.output.string(), e.what());
    }
}

} // namespace

built_pack build_pack(build_request const& request) {
    return or_told(request, [&] { return build_all(request); });
}

std::vector<built_image> build_images(build_request const& request, std::size_t line,
                                      std::string const& arch) {
    return or_told(request, [&] { return build_line(request, line, arch); });
}

built_pack assemble_pack(build_request const& request) {
    return or_told(request, [&] {
        builder const by(request, request.folder);
        return assemble(by, by.tasks(), request.output);
    });
}

} // namespace spio::aot
