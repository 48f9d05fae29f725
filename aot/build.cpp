// Builds packs, and compiles no image again that an earlier build has left.
// SPDX-License-Identifier: Apache-2.0
//
// A pack is a file of images (compiled kernels). A manifest is a list of kernels, one problem a
// line; a spec is what a kernel is compiled from, and its symbol the name of the kernel. The build
// folder keeps each image beside a record of all that it was compiled from: an image whose record
// is the same is not compiled again. Build systems have the images of each line built apart by
// build_images(), and then the pack made of them by assemble_pack().
module;

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
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
import spio.system;
import spio.text;

namespace spio::aot {

namespace fs = std::filesystem;

namespace {

// A kernel of a line of the manifest, for an architecture.
struct task {
    std::size_t line, index; // both counted from 0; a line may take several kernels
    spec kernel;
};

// The record of an image in the build folder: the request that it was compiled for, and what came
// of it. The record is written after the image, so an image without a record is ignored.
struct record {
    std::string request;
    image_kind kind = image_kind::cubin;
    std::uint64_t plain_bytes = 0, checksum = 0;

    std::string text() const {
        return request + "made: " + std::to_string(static_cast<unsigned>(kind)) + " " +
               std::to_string(plain_bytes) + " " + std::to_string(checksum) + "\n";
    }
    // Returns false if the text is damaged or records another request.
    bool parse(std::string_view text) {
        constexpr std::string_view mark = "made: ";
        if (!text.starts_with(request + std::string(mark))) return false;
        text.remove_prefix(request.size() + mark.size());
        std::uint64_t numbers[3] = {};
        for (auto& number : numbers) {
            auto const [end, failed] =
                std::from_chars(text.data(), text.data() + text.size(), number);
            if (failed != std::errc()) return false;
            text.remove_prefix(static_cast<std::size_t>(end - text.data()));
            if (!text.empty()) text.remove_prefix(1);
        }
        kind = static_cast<image_kind>(numbers[0]);
        plain_bytes = numbers[1];
        checksum = numbers[2];
        return text.empty();
    }
};

class builder {
  public:
    builder(build_request const& request, fs::path folder)
        : request_(request), folder_(std::move(folder)), version_(version_of(request.compiler)) {
        // The record does not cover what options bring: a change in such a file would not cause an
        // image to be compiled again.
        for (auto const& option : request.compiler.options) {
            if (!brings_files(option)) continue;
            throw error(error_kind::invalid, "build", "pack " + request.output.string(),
                        "the option " + option +
                            " brings files whose changes nobody would see; a family's own text "
                            "comes from its headers");
        }
    }

    // The kernels of all architectures, without those that an earlier line of the manifest also
    // lists.
    std::vector<task> tasks() const {
        std::vector<task> tasks;
        for (auto const& arch : request_.archs) {
            std::set<std::string> symbols;
            for (auto const& task : all_tasks(parse_arch(arch))) {
                if (symbols.insert(task.kernel.symbol).second) tasks.push_back(task);
            }
        }
        return tasks;
    }
    // The kernels of an architecture, including those that an earlier line of the manifest also
    // lists.
    std::vector<task> all_tasks(spio::arch arch) const {
        auto const lines = specs_of_lines(request_.manifest, request_.manifest_name,
                                          request_.families, arch, request_.configs);
        std::vector<task> tasks;
        for (std::size_t line = 0; line < lines.size(); ++line) {
            for (std::size_t i = 0; i < lines[line].size(); ++i) {
                tasks.push_back({line, i, lines[line][i]});
            }
        }
        return tasks;
    }

    // Compiles a kernel, unless its image in the folder is up to date.
    built_image build(task const& task) const {
        auto const& kernel = task.kernel;
        auto current = record_of(kernel);
        built_image image = {kernel.line(), text_of(kernel.arch), kernel.symbol};
        // The record does not cover headers from include folders, so such an image is always
        // compiled.
        if (!request_.compiler.include_folders.empty() || !is_built(task, current)) {
            auto const start = std::chrono::steady_clock::now();
            auto const compiled = compile(request_.compiler, kernel, folder_);
            image.seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            image.is_new = true;
            current = {current.request, compiled.kind, compiled.plain_bytes,
                       fnv(text_of(compiled.bytes))};
            write_file(file_of(task, ".image"), text_of(compiled.bytes));
            write_file(file_of(task, ".made"), current.text());
        }
        image.bytes = static_cast<std::size_t>(fs::file_size(file_of(task, ".image")));
        image.plain_bytes = current.plain_bytes;
        touch(file_of(task, ".made"));
        return image;
    }

    // Marks a kernel as done that an earlier line of the manifest also lists: it is compiled there.
    built_image skip(task const& task) const {
        write_file(file_of(task, ".made"), "as an earlier line\n");
        touch(file_of(task, ".made"));
        return {task.kernel.line(), text_of(task.kernel.arch), task.kernel.symbol};
    }

    // The image that build() has left in the folder.
    image_to_pack result_of(task const& task) const {
        auto const& kernel = task.kernel;
        auto current = record_of(kernel);
        if (!is_built(task, current)) {
            throw error(error_kind::not_found, "pack", kernel.spelled(),
                        "its image in " + folder_.string() + " is of another request, or missing");
        }
        auto const bytes = read_file(file_of(task, ".image"));
        auto const view = std::as_bytes(std::span(bytes));
        return {.kernel = kernel,
                .kind = current.kind,
                .bytes = {view.begin(), view.end()},
                .compiler = version_,
                .text_digest = text_digest_of(kernel),
                .library_digest = library_digest_of(kernel),
                .plain_bytes = current.plain_bytes};
    }

  private:
    build_request const& request_;
    fs::path folder_;
    std::string version_;

    // A file of a kernel in the build folder.
    fs::path file_of(task const& task, char const* extension) const {
        auto const name = std::to_string(task.line) + "-" + text_of(task.kernel.arch);
        auto const suffix = task.index == 0 ? "" : "." + std::to_string(task.index);
        return folder_ / (name + suffix + extension);
    }

    // Build systems compare times: the new time says that the file is up to date.
    static void touch(fs::path const& file) {
        fs::last_write_time(file, fs::file_time_type::clock::now());
    }

    // The record of a kernel: everything that its image depends on. The build folder is no part of
    // it.
    record record_of(spec const& kernel) const {
        std::string text = kernel.spelled() + "\nby " + kernel.config + "\ntext " +
                           std::to_string(text_digest_of(kernel)) + "\n" + version_ + "\n";
        for (auto const& command : commands_of(request_.compiler, kernel.arch)) {
            for (auto const& word : command) text += word + "\n";
        }
        return {.request = std::move(text)};
    }
    bool is_built(task const& task, record& current) const {
        if (!fs::exists(file_of(task, ".made")) || !fs::exists(file_of(task, ".image"))) {
            return false;
        }
        return current.parse(read_file(file_of(task, ".made"))) &&
               current.checksum == fnv(read_file(file_of(task, ".image")));
    }
};

// Writes the pack of all tasks, in their order, from the images that were built.
built_pack assemble(builder const& builder, std::vector<task> const& tasks,
                    fs::path const& output) {
    std::vector<image_to_pack> images;
    built_pack result;
    for (auto const& task : tasks) {
        images.push_back(builder.result_of(task));
        auto const& image = images.back();
        result.images.push_back({.line = task.kernel.line(),
                                 .arch = text_of(task.kernel.arch),
                                 .symbol = task.kernel.symbol,
                                 .bytes = image.bytes.size(),
                                 .plain_bytes = image.plain_bytes});
    }
    auto const bytes = write_pack(images);
    // Throws if the pack cannot be read again.
    pack(bytes, output.string(), /*keeper=*/{}).verify();
    write_file(output, text_of(bytes));
    result.bytes = bytes.size();
    return result;
}

// Builds a pack in one step, on several threads.
built_pack build_all(build_request const& request) {
    std::optional<temporary_folder> temporary;
    if (request.folder.empty()) temporary.emplace("spio-pack");
    auto const folder = temporary ? temporary->path() : request.folder;
    fs::create_directories(folder);
    builder const builder(request, folder);
    auto const tasks = builder.tasks();
    std::vector<built_image> images(tasks.size());
    std::mutex mutex;
    std::size_t done = 0;
    in_parallel(tasks.size(), request.jobs, [&](std::size_t i) {
        images[i] = builder.build(tasks[i]);
        std::lock_guard const lock(mutex);
        ++done;
        if (request.progress) request.progress({done, tasks.size(), images[i]});
    });
    auto result = assemble(builder, tasks, request.output);
    result.images = std::move(images);
    return result;
}

// The images of one line of the manifest, counted from 0.
std::vector<built_image> build_line(build_request const& request, std::size_t line,
                                    std::string const& arch) {
    builder const builder(request, request.folder);
    std::vector<built_image> images;
    std::set<std::string> symbols;
    for (auto const& task : builder.all_tasks(parse_arch(arch))) {
        bool const is_first = symbols.insert(task.kernel.symbol).second;
        if (task.line == line)
            images.push_back(is_first ? builder.build(task) : builder.skip(task));
    }
    if (images.empty()) {
        throw error(error_kind::invalid, "build", request.manifest_name,
                    "it has " + std::to_string(lines_of(request.manifest).size()) +
                        " lines of kernels, and no number " + std::to_string(line));
    }
    return images;
}

// Calls f, and turns an exception of the file system into an error of the pack.
template <class F> auto with_file_errors(build_request const& request, F const& f) {
    try {
        return f();
    } catch (fs::filesystem_error const& failure) {
        throw error(error_kind::io, "build", "pack " + request.output.string(), failure.what());
    }
}

} // namespace

built_pack build_pack(build_request const& request) {
    return with_file_errors(request, [&] { return build_all(request); });
}

// Compiles the kernels of one line of the manifest for one architecture.
std::vector<built_image> build_images(build_request const& request, std::size_t line,
                                      std::string const& arch) {
    return with_file_errors(request, [&] { return build_line(request, line, arch); });
}

built_pack assemble_pack(build_request const& request) {
    return with_file_errors(request, [&] {
        builder const builder(request, request.folder);
        return assemble(builder, builder.tasks(), request.output);
    });
}

} // namespace spio::aot
