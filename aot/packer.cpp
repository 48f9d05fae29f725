// Reads a packer's words, and does what they say.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

module spio.aot;

import spio.image;
import spio.spec;
import :compile;

namespace spio::aot {

namespace {

namespace fs = std::filesystem;

constexpr char usage[] =
    "usage:\n"
    "    build    --manifest FILE --arch ARCH... --output PACK [--folder FOLDER] [--jobs N]\n"
    "    image    --manifest FILE --arch ARCH --number N --folder FOLDER\n"
    "    assemble --manifest FILE --arch ARCH... --folder FOLDER --output PACK\n"
    "    host     --manifest FILE --output FILE\n"
    "    list     PACK\n"
    "    verify   PACK\n"
    "build makes a pack; image and assemble do the same in steps, a step for each line of the\n"
    "manifest, counted from 0. host writes the text of its kernels for the host device.\n"
    "The compiler:\n"
    "    --compiler nvcc|clang [--cuda FOLDER] [--program FILE] [--include FOLDER]...\n"
    "    [--option OPTION]... [--plain]\n"
    "--plain leaves images uncompressed. What is not said of it is looked for.\n";

struct wrong_words : std::exception {};

struct request_in_words {
    build_request build;
    std::size_t number = 0;
    std::string pack;
    compiler_kind kind = compiler_kind::nvcc;
    fs::path cuda, program;
};

unsigned number_in(std::string_view text) {
    unsigned number = 0;
    auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc() || end != text.data() + text.size()) throw wrong_words();
    return number;
}

compiler_kind kind_in(std::string_view text) {
    auto const kind = compiler_named(text);
    if (!kind) throw wrong_words();
    return *kind;
}

// The words that a value follows.
struct option {
    std::string_view name;
    void (*read)(request_in_words&, std::string const& value);
};
constexpr option options[] = {
    {"--manifest", [](auto& is, auto const& value) { is.build.manifest_name = value; }},
    {"--arch", [](auto& is, auto const& value) { is.build.archs.push_back(value); }},
    {"--output", [](auto& is, auto const& value) { is.build.output = value; }},
    {"--folder", [](auto& is, auto const& value) { is.build.folder = value; }},
    {"--jobs", [](auto& is, auto const& value) { is.build.jobs = number_in(value); }},
    {"--number", [](auto& is, auto const& value) { is.number = number_in(value); }},
    {"--compiler", [](auto& is, auto const& value) { is.kind = kind_in(value); }},
    {"--cuda", [](auto& is, auto const& value) { is.cuda = value; }},
    {"--program", [](auto& is, auto const& value) { is.program = value; }},
    {"--include",
     [](auto& is, auto const& value) { is.build.compiler.include_folders.push_back(value); }},
    {"--option", [](auto& is, auto const& value) { is.build.compiler.options.push_back(value); }},
};

request_in_words read_words(std::span<char* const> words) {
    request_in_words is;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string_view const word = words[i];
        if (!word.starts_with("--")) {
            is.pack = word;
        } else if (word == "--plain") {
            is.build.compiler.is_compressed = false;
        } else {
            auto const found = std::ranges::find(options, word, &option::name);
            if (found == std::end(options) || ++i == words.size()) throw wrong_words();
            found->read(is, words[i]);
        }
    }
    auto& build = is.build;
    if (!build.manifest_name.empty()) build.manifest = read_file(build.manifest_name);
    return is;
}

void choose_compiler(request_in_words& is) {
    auto& by = is.build.compiler;
    auto const found = is.program.empty() || is.cuda.empty()
                           ? find_compiler(is.kind, is.cuda)
                           : device_compiler{is.kind, is.program, is.cuda};
    by.kind = found.kind;
    by.cuda = found.cuda;
    by.program = is.program.empty() ? found.program : is.program;
}

std::string sizes_of(std::size_t bytes, std::size_t plain_bytes) {
    auto text = std::to_string(bytes) + " bytes";
    if (plain_bytes != bytes) text += " of " + std::to_string(plain_bytes);
    return text;
}

void print_progress(build_progress const& at) {
    auto const& is = at.image;
    std::printf("[%zu/%zu] %s for %s: %s%s\n", at.done, at.all, is.line.c_str(), is.arch.c_str(),
                sizes_of(is.bytes, is.plain_bytes).c_str(), is.is_new ? "" : ", there already");
    std::fflush(stdout);
}

void write_host_text(build_request const& r) {
    write_file(r.output,
               host_text_of(specs_of(r.manifest, r.manifest_name, r.families, host_arch)));
}

void list(pack const& in) {
    for (auto const& each : in.list()) {
        std::printf("%s for %s by %s: %s, %s by %s of text %016llx\n", each.line.c_str(),
                    each.arch.c_str(), each.config.c_str(),
                    sizes_of(each.size, each.plain_bytes).c_str(),
                    std::string(name_of(each.kind)).c_str(), each.compiler.c_str(),
                    static_cast<unsigned long long>(each.text_digest));
    }
}

// 0 if it is whole and of today's text.
int verify(pack const& in, std::span<family const> families) {
    in.verify();
    list(in);
    auto const stale = stale_images(in, families);
    for (auto const& [entry, why] : stale) {
        std::printf("stale: %s for %s: %s\n", entry.line.c_str(), entry.arch.c_str(), why.c_str());
    }
    std::printf("%s: %zu images, whole, %zu stale\n", in.name().c_str(), in.list().size(),
                stale.size());
    return stale.empty() ? 0 : 1;
}

int act(std::string_view what, request_in_words& is) {
    auto& build = is.build;
    bool const is_build = what == "build", is_assembly = what == "assemble";
    if (what == "image" && build.archs.size() == 1 && !build.folder.empty()) {
        choose_compiler(is);
        build_images(build, is.number, build.archs[0]);
    } else if ((is_build || (is_assembly && !build.folder.empty())) && !build.archs.empty() &&
               !build.output.empty()) {
        choose_compiler(is);
        if (is_build) build.progress = print_progress;
        auto const made = is_build ? build_pack(build) : assemble_pack(build);
        std::printf("%s: %zu images, %zu bytes\n", build.output.c_str(), made.images.size(),
                    static_cast<std::size_t>(made.bytes));
    } else if (what == "host" && !build.output.empty()) {
        write_host_text(build);
    } else if (what == "list" && !is.pack.empty()) {
        list(pack::read(is.pack));
    } else if (what == "verify" && !is.pack.empty()) {
        return verify(pack::read(is.pack), build.families);
    } else {
        throw wrong_words();
    }
    return 0;
}

} // namespace

int run_packer(std::span<char* const> words, std::span<family const> families) {
    try {
        if (words.size() < 2) throw wrong_words();
        auto is = read_words(words.subspan(2));
        is.build.families = families;
        return act(words[1], is);
    } catch (wrong_words const&) {
        std::fputs(usage, stderr);
        return 2;
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}

} // namespace spio::aot
