// Packs (files of compiled kernels), headers and folders that others may have written or named.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel; a spec is what it is compiled from. A family is the kernels of one
// operation. A kernel's body is the text of its function. plain_bytes is the size of an image
// before compression.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/folder.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

import spio.aot;
import spio.axpby;
import spio.families;
import spio.image;
import spio.spec;
import spio.system;
import spio.text;

using namespace spio;
namespace fs = std::filesystem;
using test::contains;

namespace {

// A pack of one kernel, whose image is no machine code; and the same as a file.
std::vector<std::byte> pack_bytes(spec const& kernel) {
    aot::image_to_pack const image = {.kernel = kernel,
                                      .kind = image_kind::cubin,
                                      .bytes = std::vector<std::byte>(8),
                                      .compiler = "c 1",
                                      .text_digest = text_digest_of(kernel),
                                      .plain_bytes = 8};
    return aot::write_pack(std::span(&image, 1));
}

// Writes a pack of one kernel; returns its path.
std::string write_pack(std::string const& path, spec const& kernel) {
    auto const bytes = pack_bytes(kernel);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<char const*>(bytes.data()), static_cast<long>(bytes.size()));
    chmod(path.c_str(), 0644);
    return path;
}

// The error that f throws, or "none".
std::string refusal(auto const& f) {
    try {
        f();
    } catch (spio::error const& failure) {
        return failure.what();
    }
    return "none";
}

// A build of one kernel, whose folders an attacker may have made.
aot::build_request request(std::string const& folder) {
    return {.manifest = "axpby n=1000\n",
            .manifest_name = "kernels",
            .families = families(),
            .archs = {"sm_80"},
            .compiler = aot::find_compiler(compiler_kind::nvcc, SPIO_TEST_CUDA),
            .output = folder + "/a.spiopack",
            .folder = folder + "/images",
            .jobs = 1};
}

} // namespace

TEST_CASE("a pack that others could have written is refused by name, and can be inspected") {
    test::folder const folder;
    auto const kernel = axpby::specialize({.n = 1}, sm_80);
    auto const path = write_pack(folder / "a.spiopack", kernel);
    CHECK(aot::pack::read(path).find(kernel));
    auto const said = [&] { return refusal([&] { (void)aot::pack::read(path); }); };
    chmod(path.c_str(), 0666);
    CHECK(said() ==
          "read for pack " + path + ": " + path + " can be written to by others: everyone");
    aot::pack const inspected = aot::pack::inspect(path);
    inspected.verify();
    CHECK(inspected.list().size() == 1);
    CHECK(contains(refusal([&] { (void)inspected.find(kernel); }), "it was opened for inspection"));
    chmod(path.c_str(), 0644);
    chmod(folder.path.c_str(), 0777);
    CHECK(contains(said(), folder.path + " can be written to by others"));
    chmod(folder.path.c_str(), 01777); // as /tmp is
    CHECK(said() == "none");
    if (geteuid() != 0) return;
    REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    CHECK(contains(said(), path + " belongs to user 12345"));
}

TEST_CASE("a pack whose digest the program has may lie where others can write, and no other may") {
    test::folder const folder;
    auto const kernel = axpby::specialize({.n = 1}, sm_80);
    auto const path = write_pack(folder / "a.spiopack", kernel);
    auto const text = read_file(path);
    auto const digest = [&] {
        sha256 sum;
        sum.update(text);
        return sum.finish();
    }();
    chmod(path.c_str(), 0666);
    chmod(folder.path.c_str(), 0777);
    if (geteuid() == 0) REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    CHECK(aot::pack::read(path, digest).find(kernel));
    CHECK(contains(refusal([&] { (void)aot::pack::read(path); }), "can be written to by others"));
    // Any byte of the pack, and any byte of the digest, makes it another.
    for (std::size_t i = 0; i < text.size(); i += 1 + text.size() / 100) {
        auto changed = text;
        changed[i] ^= 1;
        std::ofstream(path, std::ios::binary) << changed;
        CHECK(contains(refusal([&] { (void)aot::pack::read(path, digest); }),
                       ", and this program was built for " + hexadecimal(digest)));
    }
    std::ofstream(path, std::ios::binary) << text;
    for (std::size_t i = 0; i < digest.size(); ++i) {
        auto other = digest;
        other[i] ^= 128;
        CHECK(refusal([&] { (void)aot::pack::read(path, other); }) != "none");
    }
    CHECK(aot::pack::read(path, digest).list().size() == 1);
    // A pipe is not waited for, and a missing file is reported.
    auto const pipe = folder / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(refusal([&] { (void)aot::pack::read(pipe, digest); }) != "none");
    CHECK(refusal([&] { (void)aot::pack::read(folder / "none", digest); }) != "none");
}

TEST_CASE("two texts of one symbol are told apart, in any order") {
    test::folder const folder;
    auto const kernel = axpby::specialize({.n = 1}, sm_80);
    auto other = kernel;
    other.source += "// another text\n";
    for (bool const is_first : {true, false}) {
        auto const pack = aot::pack::read(write_pack(folder / "a.spiopack", kernel));
        if (is_first) CHECK(pack.find(kernel));
        CHECK(!pack.find(other));
        CHECK(contains(pack.why_not(other), "has it of another text"));
        CHECK(pack.find(kernel));
        CHECK(pack.why_not(kernel).empty());
    }
}

TEST_CASE("folders may have any name, and variables change no image") {
    test::folder const parent;
    auto const plain = request(parent / "plain");
    aot::build_pack(plain);
    auto const strange = parent / "it's $(touch hit), `touch hit` & \"more\"";
    fs::create_directories(strange + "/include $(touch hit)");
    auto odd = request(strange);
    odd.compiler.include_folders = {strange + "/include $(touch hit)"};
    setenv("NVCC_APPEND_FLAGS", "-lineinfo", 1);
    setenv("NVCC_PREPEND_FLAGS", "--no-such-option", 1);
    setenv("CPATH", strange.c_str(), 1);
    auto const failure = refusal([&] { aot::build_pack(odd); });
    for (auto const* name : {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "CPATH"}) unsetenv(name);
    CHECK(failure == "none");
    for (auto const& item : fs::recursive_directory_iterator(parent.path)) {
        CHECK(item.path().filename() != "hit");
    }
    CHECK(!fs::exists("hit"));
    auto const a = aot::pack::read(plain.output), b = aot::pack::read(odd.output);
    CHECK(a.list()[0].checksum == b.list()[0].checksum);
    // The build folder has the image and its record, and no temporary files.
    CHECK(std::distance(fs::directory_iterator(plain.folder), {}) == 2);
}

TEST_CASE("an architecture or the name of a compiler with text for a shell is refused") {
    test::folder const folder;
    auto injected = request(folder.path);
    injected.archs = {"sm_80$(touch hit)"};
    CHECK(contains(refusal([&] { aot::build_pack(injected); }), "is no architecture"));
    injected = request(folder.path);
    fs::create_directories(folder / "$(touch hit)");
    fs::create_symlink(injected.compiler.program, folder / "$(touch hit)/nvcc");
    injected.compiler.program = folder / "$(touch hit)/nvcc";
    CHECK(contains(refusal([&] { aot::build_pack(injected); }),
                   "gives the name of its folder to a shell"));
    CHECK(!fs::exists("hit"));
}

TEST_CASE("programs that others could have written are not run") {
    test::folder const folder;
    fs::create_directory(folder / "bin");
    for (auto const* name : {"bin/nvcc", "bin/ptxas", "bin/fatbinary"}) {
        std::ofstream(folder / name) << "#!/bin/sh\ntouch " << folder.path << "/hit\n";
        chmod((folder / name).c_str(), 0755);
    }
    chmod((folder / "bin/ptxas").c_str(), 0777);
    CHECK(contains(refusal([&] { aot::find_compiler(compiler_kind::nvcc, folder.path); }),
                   "bin/ptxas can be written to by others: everyone"));
    // Programs that the caller names are held to the same rule, all of them.
    aot::device_compiler const named = {
        .kind = compiler_kind::nvcc, .program = folder / "bin/nvcc", .cuda = folder.path};
    for (auto const* tool : {"bin/ptxas", "bin/fatbinary", "bin/nvcc"}) {
        for (auto const* name : {"bin/nvcc", "bin/ptxas", "bin/fatbinary"}) {
            chmod((folder / name).c_str(), 0755);
        }
        chmod((folder / tool).c_str(), 0777);
        CHECK(contains(refusal([&] { aot::version_of(named); }),
                       std::string(tool) + " can be written to by others: everyone"));
    }
    CHECK(!fs::exists(folder / "hit"));
}

namespace {

// Writes the headers of the host device that a kernel is compiled with; they do nothing.
void write_host_headers(test::folder const& folder) {
    fs::create_directories(folder / "include/sim");
    auto const write = [&](char const* name, char const* text) {
        std::ofstream(folder / name) << text;
        chmod((folder / name).c_str(), 0644);
    };
    write("include/sim/device_text.h", "#define __global__\n#include \"inner.h\"\n");
    write("include/inner.h", "\n");
    write(
        "include/sim/host_kernel.h",
        "namespace spio::sim { template <auto> struct host_kernel_of { host_kernel_of(char const*, "
        "unsigned long long) {} }; }\n");
}
spec host_kernel(std::string const& source) {
    spec kernel;
    kernel.family = "f";
    kernel.symbol = "kernel";
    kernel.source = source;
    kernel.arch = host_arch;
    return kernel;
}

} // namespace

TEST_CASE("an error in a kernel for the host names its header, and no temporary folder") {
    test::folder const folder;
    write_host_headers(folder);
    header const headers[] = {{"f/body.cuh", "// A body.\nno_type x;\n"}};
    auto kernel = host_kernel("#include \"f/body.cuh\"\nextern \"C\" void kernel() {}\n");
    kernel.headers = headers;
    temporary_folder const work("spio-test");
    aot::host_compiler const compiler = {SPIO_TEST_CLANG, {folder / "include"}};
    auto const said = refusal([&] { aot::compile_for_host(compiler, kernel, work); });
    CHECK(contains(said, "\n./f/body.cuh:2:1: error: unknown type name 'no_type'"));
    CHECK(!contains(said, work.path().string()));
}

TEST_CASE("a kernel for the host is not compiled with headers that others could have written") {
    test::folder const folder;
    write_host_headers(folder);
    aot::host_compiler const compiler = {SPIO_TEST_CLANG, {folder / "include"}};
    auto const kernel = host_kernel("extern \"C\" __global__ void kernel() {}\n");
    temporary_folder const work("spio-test");
    CHECK(fs::exists(aot::compile_for_host(compiler, kernel, work)));
    auto const said = [&] {
        return refusal([&] { aot::compile_for_host(compiler, kernel, work); });
    };
    chmod((folder / "include/inner.h").c_str(), 0646);
    CHECK(contains(said(), folder / "include/inner.h can be written to by others: everyone"));
    chmod((folder / "include/inner.h").c_str(), 0644);
    chmod((folder / "include").c_str(), 0777);
    CHECK(contains(said(), folder / "include can be written to by others: everyone"));
}

TEST_CASE("control characters in a pack do not reach a terminal") {
    test::folder const folder;
    auto kernel = axpby::specialize({.n = 1}, sm_80);
    kernel.config = "\x1b]0;owned\x07";
    auto const path = write_pack(folder / "a.spiopack", kernel);
    std::string words[] = {"packer", "list", path};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data()};
    std::fflush(stdout);
    int const saved = dup(STDOUT_FILENO);
    std::FILE* const file = std::fopen((folder / "output").c_str(), "w");
    REQUIRE(dup2(fileno(file), STDOUT_FILENO) >= 0);
    int const status = aot::run_packer(arguments, families());
    std::fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    std::fclose(file);
    CHECK(status == 0);
    auto const printed = read_file(folder / "output");
    CHECK(contains(printed, "\\x1b]0;owned\\x07"));
    CHECK(printed.find('\x1b') == printed.npos);
}
