// Packs (files of compiled kernels) are built with real compilers, and nothing is compiled twice.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel; a spec is what it is compiled from. A manifest lists kernels, a
// family and a problem on each line. A pack can be built at once, or by steps: a line for an
// architecture each, whose images are kept in a build folder until they are assembled. A family is
// the kernels of one operation. plain_bytes is the size of an image before compression.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/folder.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

import spio.aot;
import spio.families;
import spio.image;
import spio.spec;

using namespace spio;
namespace fs = std::filesystem;

namespace {

using test::contains;
using test::folder;

// A request for the pack of a manifest, a.spiopack in the folder `own`, by one kind of compiler.
aot::build_request request(folder const& own, aot::compiler_kind kind, std::string manifest) {
    auto compiler = aot::find_compiler(kind, SPIO_TEST_CUDA);
    if (kind == aot::compiler_kind::clang) compiler.program = SPIO_TEST_CLANG;
    return {.manifest = std::move(manifest),
            .manifest_name = "kernels",
            .families = families(),
            .archs = {"sm_80", "sm_90a", "compute_80"},
            .compiler = compiler,
            .output = own / "a.spiopack",
            .folder = own / "between",
            .jobs = 2};
}

// The images that were compiled now, and not taken from an earlier build.
std::size_t count_new(aot::built_pack const& pack) {
    return static_cast<std::size_t>(
        std::ranges::count(pack.images, true, &aot::built_image::is_new));
}

// The error of a build, or "none".
std::string refusal(aot::build_request const& asked) {
    try {
        aot::build_pack(asked);
    } catch (spio::error const& e) {
        return e.what();
    }
    return "none";
}

} // namespace

TEST_CASE("nvcc and clang build packs, whole and of today's text, three times smaller compressed") {
    for (auto const kind : {aot::compiler_kind::nvcc, aot::compiler_kind::clang}) {
        folder const own;
        auto const r = request(own, kind, "axpby n=1000\nlayernorm_2d channels=64\naxpby n=1001\n");
        auto const built = aot::build_pack(r);
        auto const pack = aot::pack::read(r.output);
        pack.verify();
        CHECK(pack.list().size() == 6); // the last line is the first one's kernel
        CHECK(built.bytes == fs::file_size(r.output));
        CHECK(aot::stale_images(pack, families()).empty());
        std::size_t bytes = 0, plain_bytes = 0;
        for (auto const& each : pack.list()) {
            CHECK(each.compiler == aot::version_of(r.compiler));
            CHECK(each.kind == image_kind::fatbin);
            std::cout << "summary: aot.size." << aot::name_of(kind) << ": " << each.line << " for "
                      << each.arch << ", " << each.size << " bytes of " << each.plain_bytes << '\n';
            bytes += each.size;
            plain_bytes += each.plain_bytes;
        }
        CHECK(3 * bytes < plain_bytes);
    }
}

TEST_CASE("an image in the build folder is not compiled again, and a damaged one is") {
    folder const own;
    auto r = request(own, aot::compiler_kind::nvcc, "axpby n=1000\naxpby n=10000000\n");
    r.archs = {"sm_80"};
    std::set<std::size_t> done;
    r.progress = [&](aot::build_progress const& progress) {
        CHECK(progress.count == 2);
        CHECK(progress.image.bytes > 0);
        done.insert(progress.done);
    };
    auto const first = aot::build_pack(r);
    CHECK(count_new(first) == 2);
    CHECK(done == std::set<std::size_t>{1, 2});
    CHECK(count_new(aot::build_pack(r)) == 0);

    std::ofstream(r.folder / "0-sm_80.image", std::ios::app) << "more";
    auto const repeated = aot::build_pack(r);
    CHECK(repeated.images[0].is_new);
    CHECK(!repeated.images[1].is_new);
    // With other options, the compiled kernels in the folder are of another request.
    r.compiler.options = {"-lineinfo"};
    CHECK_THROWS_WITH_AS(aot::assemble_pack(r), doctest::Contains("is of another request"),
                         spio::error);
    auto const other = aot::build_pack(r);
    CHECK(count_new(other) == 2);
    CHECK(other.images[0].plain_bytes > first.images[0].plain_bytes);
    // Without a build folder no image is kept, so all are compiled again.
    r.folder.clear();
    CHECK(count_new(aot::build_pack(r)) == 2);
}

TEST_CASE(
    "steps make the same pack, and a line with the kernel of an earlier one compiles nothing") {
    folder const own, by_steps;
    auto at_once = request(own, aot::compiler_kind::nvcc, "axpby n=1000\n\naxpby n=1001\n");
    auto steps = at_once;
    steps.folder = by_steps / "between";
    steps.output = by_steps / "a.spiopack";
    fs::create_directories(steps.folder);
    aot::build_pack(at_once);
    for (auto const& arch : steps.archs) {
        CHECK(aot::build_images(steps, 0, arch).at(0).is_new);
        CHECK(!aot::build_images(steps, 1, arch).at(0).is_new);
        CHECK(fs::exists(steps.folder / ("1-" + arch + ".made")));
    }
    CHECK(aot::assemble_pack(steps).images.size() == 3);
    auto const a = aot::pack::read(at_once.output), b = aot::pack::read(steps.output);
    for (std::size_t i = 0; i < 3; ++i) CHECK(a.list()[i].checksum == b.list()[i].checksum);
    CHECK_THROWS_WITH_AS(aot::build_images(steps, 2, "sm_80"),
                         "build for kernels: it has 2 lines of kernels, and no number 2",
                         spio::error);
}

TEST_CASE("a line of several kernels packs them all, whole and by steps") {
    folder const own, by_steps;
    auto at_once = request(own, aot::compiler_kind::nvcc,
                           "axpby n=1000\nconv2d n=8 c=16 h=14 w=14 pass=wgrad\n");
    at_once.archs = {"sm_80"};
    auto steps = at_once;
    steps.folder = by_steps / "between";
    steps.output = by_steps / "a.spiopack";
    fs::create_directories(steps.folder);
    CHECK(aot::build_pack(at_once).images.size() == 3);
    CHECK(aot::build_images(steps, 0, "sm_80").size() == 1);
    CHECK(aot::build_images(steps, 1, "sm_80").size() == 2);
    aot::assemble_pack(steps);
    auto const a = aot::pack::read(at_once.output), b = aot::pack::read(steps.output);
    REQUIRE(b.list().size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(a.list()[i].checksum == b.list()[i].checksum);
    CHECK(a.list()[1].line == a.list()[2].line);
    CHECK(aot::stale_images(a, families()).empty());
    for (auto const& each : specs_of_line(a.list()[1].line, families(), sm_80)) {
        CHECK(a.find(each));
    }
}

TEST_CASE("uncompressed images are what the compiler made, a text with its end") {
    folder const own;
    auto r = request(own, aot::compiler_kind::nvcc, "axpby n=1000\n");
    r.archs = {"sm_80", "compute_80"};
    r.compiler.is_compressed = false;
    aot::build_pack(r);
    auto const pack = aot::pack::read(r.output);
    CHECK(pack.list()[0].kind == image_kind::cubin);
    CHECK(pack.list()[0].size == pack.list()[0].plain_bytes);
    CHECK(pack.list()[1].kind == image_kind::ptx);
    auto const kernel = specs_of_line("axpby n=1000", families(), parse_arch("sm_120a")).at(0);
    CHECK(pack.find(kernel)->bytes.back() == std::byte(0));
}

TEST_CASE("compilers from before CUDA 13 are refused by their version") {
    folder const own;
    fs::create_directory(own / "bin");
    for (auto const* name : {"bin/nvcc", "bin/ptxas", "bin/fatbinary"}) {
        std::ofstream(own / name) << "#!/bin/sh\necho 'release 12.9, V12.9.41'\n";
        fs::permissions(own / name, fs::perms::owner_all);
    }
    for (auto const kind : {aot::compiler_kind::nvcc, aot::compiler_kind::clang}) {
        CHECK_THROWS_WITH_AS(aot::find_compiler(kind, own.path),
                             doctest::Contains("it is of CUDA 12.9.41, and 13.0 is the least"),
                             spio::error);
    }
}

TEST_CASE("the error of a folder or file that cannot be written names it") {
    folder const own;
    std::ofstream(own / "file") << "a file";
    auto r = request(own, aot::compiler_kind::nvcc, "axpby n=1000\n");
    r.archs = {"sm_80"};
    auto const start = "build for pack " + r.output.string() + ": ";
    for (auto const& place :
         {own / "file", own / "file/below", std::string("/proc/nobody_writes")}) {
        r.folder = place;
        auto const said = refusal(r);
        CAPTURE(said);
        CHECK(said.starts_with(start));
        CHECK(contains(said, place));
    }
    auto const previous = std::getenv("TMPDIR");
    std::string const usual = previous != nullptr ? previous : "";
    setenv("TMPDIR", (own / "file").c_str(), 1);
    r.folder.clear();
    CHECK(contains(refusal(r), "make a temporary folder for TMPDIR " + own / "file"));
    previous != nullptr ? setenv("TMPDIR", usual.c_str(), 1) : unsetenv("TMPDIR");

    r.folder = own / "between";
    r.output = own / "file/a.spiopack";
    CHECK(refusal(r).starts_with("write for " + r.output.string() + ": it cannot be written: "));
    r.folder = own / "file";
    CHECK_THROWS_AS(aot::build_images(r, 0, "sm_80"), spio::error);
    CHECK_THROWS_AS(aot::assemble_pack(r), spio::error);
}

TEST_CASE("an error has the words of the compiler, of the manifest's line or of the system") {
    folder const own;
    auto r = request(own, aot::compiler_kind::nvcc, "axpby n=1000\n");
    r.archs = {"sm_80"};
    r.compiler.options = {"-DNAME=-I/tmp", "-Xptxas=--no-such-option"};
    auto const said = refusal(r);
    CHECK(contains(said, "compile for axpby n=1000 for sm_80"));
    CHECK(contains(said, "Unknown option"));
    CHECK(contains(said,
                   "-Itext -DNAME=-I/tmp -Xptxas=--no-such-option kernel.cu")); // the whole command
    CHECK(!fs::exists(r.output));
    for (std::string const option : {"-I/tmp",
                                     "-isystem",
                                     "-include",
                                     "--include-path=/tmp",
                                     "--options-file",
                                     "--options-file=a",
                                     "-optf",
                                     "-optf=a",
                                     "@a",
                                     "--config",
                                     "--config=a",
                                     "-Xcompiler=-I/tmp",
                                     "-Xcompiler=-O2,-include,a",
                                     "-Xcompiler=\"-O2 -I/tmp\"",
                                     "-O2,-I/tmp",
                                     "-Wp,-include,a",
                                     "--compiler-options=@a",
                                     "-Xcudafe=--preinclude=a",
                                     "-Xcudafe=--sys_include=a",
                                     "-Xcompiler=-specs=a",
                                     "-Xcompiler=--specs=a",
                                     "-Xcompiler=-fplugin=a",
                                     "-Xcompiler=-B/tmp",
                                     "-Xcompiler=-fprofile-use=a",
                                     "-fprofile-instr-use=a",
                                     "-fpass-plugin=a",
                                     "--sysroot=/tmp",
                                     "--libdevice-directory=a",
                                     "-fmodule-file=a"}) {
        CAPTURE(option);
        r.compiler.options = {option};
        CHECK(contains(refusal(r), "the option " + option + " brings files"));
    }
    r.compiler.options.clear();

    r.manifest = "axpby n=1000\nsqrt n=2\n";
    CHECK(
        contains(refusal(r), "read for kernels:2: read for 'sqrt n=2': there is no family 'sqrt'"));
    r.manifest = "axpby n=1000\n";
    r.archs = {"sm_5"};
    CHECK(contains(refusal(r), "'sm_5' is no architecture"));
    r.archs = {"sm_80"};
    r.compiler.program = "/nowhere/nvcc";
    CHECK(contains(refusal(r), "run for /nowhere/nvcc: /nowhere: No such file or directory"));
    CHECK_THROWS_WITH_AS(aot::find_compiler(aot::compiler_kind::nvcc, "/nowhere"),
                         doctest::Contains("looked in /nowhere"), spio::error);
    r.compiler = aot::find_compiler(aot::compiler_kind::nvcc, SPIO_TEST_CUDA);
    r.output = "/dev/null/a.spiopack";
    CHECK(contains(refusal(r), "write for /dev/null/a.spiopack"));
}
