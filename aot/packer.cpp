// The command line of a packer: reads its arguments, and does what they say.
// SPDX-License-Identifier: Apache-2.0
//
// A pack is a file of images (compiled kernels). A manifest is a list of kernels, one problem a
// line; a stale image is out of date. A family is the kernels of one operation, such as conv2d. A
// packer is a program that a build calls for each step of making a pack; it knows the families that
// it was linked with. `usage` says what its steps and options are.
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
import spio.system;

namespace spio::aot {

namespace {

namespace fs = std::filesystem;

constexpr char usage[] =
    "usage:\n"
    "    build    --manifest FILE --arch ARCH... --output PACK [--folder FOLDER] [--jobs N]\n"
    "    image    --manifest FILE --arch ARCH --number N --folder FOLDER\n"
    "    assemble --manifest FILE --arch ARCH... --folder FOLDER --output PACK\n"
    "    host     --manifest FILE --output FILE\n"
    "    flags    --compiler nvcc|clang|nvrtc [--arch ARCH] [--output FILE]\n"
    "    list     PACK\n"
    "    verify   PACK\n"
    "    digest   PACK --output FILE\n"
    "build makes a pack; image and assemble do the same in steps, a step for each line of the\n"
    "manifest, counted from 0. host writes the text of its kernels for the host device. flags\n"
    "prints the options that Spio gives a compiler, one a line. digest writes the SHA-256 of a "
    "pack\n"
    "as 32 numbers, for a program that takes this pack and no other.\n"
    "The compiler:\n"
    "    --compiler nvcc|clang [--cuda FOLDER] [--program FILE] [--include FOLDER]...\n"
    "    [--option OPTION]... [--plain]\n"
    "--plain leaves images uncompressed. A program or folder that is not named is looked for.\n";

struct usage_error : std::exception {};

// What the arguments say.
struct packer_request {
    build_request build;
    std::size_t number = 0;
    std::string pack; // the argument without an option
    compiler_kind kind = compiler_kind::nvcc;
    fs::path cuda, program;
};

unsigned parse_number(std::string_view text) {
    unsigned number = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size()) throw usage_error();
    return number;
}

compiler_kind parse_compiler(std::string_view text) {
    for (auto const kind : {compiler_kind::nvcc, compiler_kind::clang, compiler_kind::nvrtc}) {
        if (name_of(kind) == text) return kind;
    }
    throw usage_error();
}

// A command-line option that takes a value.
struct option {
    std::string_view name;
    void (*parse)(packer_request&, std::string const& value);
};
constexpr option options[] = {
    {"--manifest", [](auto& request, auto& value) { request.build.manifest_name = value; }},
    {"--arch", [](auto& request, auto& value) { request.build.archs.push_back(value); }},
    {"--output", [](auto& request, auto& value) { request.build.output = value; }},
    {"--folder", [](auto& request, auto& value) { request.build.folder = value; }},
    {"--jobs", [](auto& request, auto& value) { request.build.jobs = parse_number(value); }},
    {"--number", [](auto& request, auto& value) { request.number = parse_number(value); }},
    {"--compiler", [](auto& request, auto& value) { request.kind = parse_compiler(value); }},
    {"--cuda", [](auto& request, auto& value) { request.cuda = fs::absolute(value); }},
    {"--program", [](auto& request, auto& value) { request.program = fs::absolute(value); }},
    {"--include",
     [](auto& request, auto& value) {
         request.build.compiler.include_folders.push_back(fs::absolute(value));
     }},
    {"--option",
     [](auto& request, auto& value) { request.build.compiler.options.push_back(value); }},
};

packer_request parse(std::span<char* const> arguments) {
    packer_request request;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string_view const word = arguments[i];
        if (!word.starts_with("--")) {
            request.pack = word;
        } else if (word == "--plain") {
            request.build.compiler.is_compressed = false;
        } else {
            auto const found = std::ranges::find(options, word, &option::name);
            if (found == std::end(options) || ++i == arguments.size()) throw usage_error();
            found->parse(request, arguments[i]);
        }
    }
    auto& build = request.build;
    if (!build.manifest_name.empty()) build.manifest = read_file(build.manifest_name);
    return request;
}

// Sets the request's compiler: the programs that it names, or those that are found.
void choose_compiler(packer_request& request) {
    if (request.kind == compiler_kind::nvrtc) throw usage_error();
    auto& compiler = request.build.compiler;
    auto const found = request.program.empty() || request.cuda.empty()
                           ? find_compiler(request.kind, request.cuda)
                           : device_compiler{request.kind, request.program, request.cuda};
    compiler.kind = found.kind;
    compiler.cuda = found.cuda;
    compiler.program = request.program.empty() ? found.program : request.program;
}

// Prints without control characters: the text may come from a manifest or a pack, and must not
// steer the terminal.
void print(std::string const& text) { std::fputs(printable(text).c_str(), stdout); }

// The size of an image in the pack and, if it is compressed, the size before that.
std::string size_text(std::size_t bytes, std::size_t plain_bytes) {
    auto text = std::to_string(bytes) + " bytes";
    if (plain_bytes != bytes) text += " of " + std::to_string(plain_bytes);
    return text;
}

void print_progress(build_progress const& progress) {
    auto const& image = progress.image;
    print("[" + std::to_string(progress.done) + "/" + std::to_string(progress.count) + "] " +
          image.line + " for " + image.arch + ": " + size_text(image.bytes, image.plain_bytes) +
          (image.is_new ? "" : ", there already") + "\n");
    std::fflush(stdout);
}

void write_host_text(build_request const& request) {
    auto const kernels =
        specs_of(request.manifest, request.manifest_name, request.families, host_arch);
    write_file(request.output, host_text_of(kernels));
}

// Prints compiler options for build systems. If the request names an architecture, these are the
// options of one command; if not, the content of an options file, to which each command adds its
// architecture.
void write_flags(packer_request const& request) {
    auto const& archs = request.build.archs;
    std::string text;
    for (auto const& word : compiler_options(request.kind, archs.empty() ? "" : archs[0])) {
        bool const is_arch = word.starts_with("-arch=") || word.starts_with("--cuda-gpu-arch=");
        if (!is_arch || !archs.empty()) text += word + "\n";
    }
    if (request.build.output.empty()) return print(text);
    write_file(request.build.output, text);
}

// Writes the digest of a pack for an assembler: 32 numbers with commas between them.
void write_digest(packer_request const& request) {
    auto const text = read_file(request.pack, most_pack_bytes);
    sha256 sum;
    sum.update(text);
    std::string numbers;
    for (unsigned const byte : sum.finish()) {
        numbers += (numbers.empty() ? "" : ", ") + std::to_string(byte);
    }
    write_file(request.build.output, ".byte " + numbers + "\n");
}

void print_list(pack const& pack) {
    for (auto const& entry : pack.list()) {
        char digest[17];
        std::snprintf(digest, sizeof digest, "%016llx",
                      static_cast<unsigned long long>(entry.text_digest));
        print(entry.line + " for " + entry.arch + " by " + entry.config + ": " +
              size_text(entry.size, entry.plain_bytes) + ", " + std::string(name_of(entry.kind)) +
              " by " + entry.compiler + " of text " + digest + "\n");
    }
}

// Returns 0 if the pack is undamaged and none of its images is out of date.
int verify(pack const& pack, std::span<family const> families) {
    pack.verify();
    print_list(pack);
    auto const stale = stale_images(pack, families);
    for (auto const& [entry, reason] : stale) {
        print("stale: " + entry.line + " for " + entry.arch + ": " + reason + "\n");
    }
    print(pack.name() + ": " + std::to_string(pack.list().size()) + " images, whole, " +
          std::to_string(stale.size()) + " stale\n");
    return stale.empty() ? 0 : 1;
}

// Does what the first argument names; returns the exit status.
int perform(std::string_view step, packer_request& request) {
    auto& build = request.build;
    bool const is_build = step == "build", is_assembly = step == "assemble";
    if (step == "image" && build.archs.size() == 1 && !build.folder.empty()) {
        choose_compiler(request);
        build_images(build, request.number, build.archs[0]);
    } else if ((is_build || (is_assembly && !build.folder.empty())) && !build.archs.empty() &&
               !build.output.empty()) {
        choose_compiler(request);
        if (is_build) build.progress = print_progress;
        auto const result = is_build ? build_pack(build) : assemble_pack(build);
        print(build.output.string() + ": " + std::to_string(result.images.size()) + " images, " +
              std::to_string(result.bytes) + " bytes\n");
    } else if (step == "host" && !build.output.empty()) {
        write_host_text(build);
    } else if (step == "flags" && build.archs.size() <= 1) {
        write_flags(request);
    } else if (step == "digest" && !request.pack.empty() && !build.output.empty()) {
        write_digest(request);
    } else if (step == "list" && !request.pack.empty()) {
        print_list(pack::inspect(request.pack));
    } else if (step == "verify" && !request.pack.empty()) {
        return verify(pack::inspect(request.pack), build.families);
    } else {
        throw usage_error();
    }
    return 0;
}

} // namespace

int run_packer(std::span<char* const> arguments, std::span<family const> families) {
    try {
        if (arguments.size() < 2) throw usage_error();
        auto request = parse(arguments.subspan(2));
        request.build.families = families;
        return perform(arguments[1], request);
    } catch (usage_error const&) {
        std::fputs(usage, stderr);
        return 2;
    } catch (std::exception const& failure) {
        std::fprintf(stderr, "%s\n", printable(failure.what()).c_str());
        return 1;
    }
}

} // namespace spio::aot
