// What the packer answers and makes for a list of lines, compared with a record.
// SPDX-License-Identifier: Apache-2.0
//
// A pack is a file of compiled kernels. The packer compiles the kernels that a manifest lists, and
// writes them into a pack. Scripts stand for nvcc, clang++, ptxas and fatbinary: each writes its
// own command, and what it read, into the file that it should make. packer.txt has each line after
// a $, and then the answer. To change the answers on purpose, record the file:
//     SPIO_RECORD_PACKER=tests/aot/packer.txt build/ci/tests/aot/test_aot -tc="*packer answers*"
#include <doctest/doctest.h>

#include "tests/folder.h"
#include "tests/spec/recorded.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

import spio.aot;
import spio.families;
import spio.system;

using namespace spio;
namespace fs = std::filesystem;

namespace {

constexpr char script[] = R"sh(#!/bin/bash
here=${0%/bin/*}
if [[ $1 == --version ]]; then
    if [[ $0 == *clang* ]]; then echo "Debian clang version 19.1.7 (3)"; else echo "release 13.0, V13.0.48"; fi
    exit
fi
said="${0##*/} $*"
for each in "$@"; do
    [[ $previous == -o ]] && made=$each
    [[ $each == --create=* ]] && made=${each#--create=} && read=${said##*file=}
    previous=$each
done
read=${read:-$previous}
{
    echo "${said//$here/CUDA}"
    echo "$(<"$read")"
    if [[ $made == *.ll ]]; then printf '!nvvm.annotations = !{!0, !1}\n!0 = !{i32 1}\n!12 = !{}\n!x\n'; fi
} > "$made"
)sh";

// A folder with scripts for compilers and with manifests, and the packer's answers there.
struct rig {
    test::folder folder;
    std::string cuda = folder / "cuda";

    rig() {
        fs::create_directories(cuda + "/bin");
        fs::create_directories(cuda + "/include");
        fs::create_directories(folder / "own");
        for (auto const* name : {"nvcc", "clang++", "ptxas", "fatbinary"}) {
            write("cuda/bin/" + std::string(name), script);
            fs::permissions(cuda + "/bin/" + name, fs::perms::owner_all);
        }
        write("cuda/include/curand_mtgp32_kernel.h", "// there\n");
        write("two.manifest",
              "axpby n=1000\n# a comment\n\naxpby n=1001\nlayernorm_2d channels=64\n");
        write("gradient.manifest", "conv2d n=8 c=16 h=14 w=14 pass=wgrad\naxpby n=7\n");
        write("wrong.manifest", "axpby n=1000\nlayernorm_2d channels=63\n");
        write("empty.manifest", "");
    }
    void write(std::string const& name, std::string const& text) const {
        std::ofstream(folder / name, std::ios::binary) << text;
    }

    // What a line answers. Besides the packer's steps there are: cat FILE, damage FILE, ls.
    std::string ask(std::string const& line) const {
        std::vector<std::string> words = {"spio_packer"};
        std::istringstream input(std::regex_replace(line, std::regex("FOLDER"), folder.path));
        for (std::string word; input >> word;) words.push_back(word);
        auto const step = words.size() > 1 ? words[1] : "";
        if (step == "cat") {
            return fs::exists(folder / words[2]) ? masked(read_file(folder / words[2]), step)
                                                 : "no file\n";
        }
        if (step == "ls") {
            std::vector<std::string> names;
            for (auto const& file : fs::recursive_directory_iterator(folder.path)) {
                if (file.is_regular_file()) names.push_back(file.path().string());
            }
            std::ranges::sort(names);
            std::string text;
            for (auto const& name : names) text += name + "\n";
            return masked(text, step);
        }
        if (step == "damage") {
            auto text = read_file(folder / words[2]);
            text.back() ^= 1;
            write(words[2], text);
            return "";
        }
        std::vector<char*> arguments;
        for (auto& word : words) arguments.push_back(word.data());
        auto const file = folder / "answer";
        std::fflush(stdout);
        int const output = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
        REQUIRE(std::freopen(file.c_str(), "w", stdout) != nullptr);
        dup2(STDOUT_FILENO, STDERR_FILENO);
        int const status = aot::run_packer(arguments, families());
        std::fflush(stdout);
        dup2(output, STDOUT_FILENO);
        dup2(errors, STDERR_FILENO);
        close(output);
        close(errors);
        auto const text = read_file(file);
        fs::remove(file);
        return "ends with " + std::to_string(status) + "\n" + masked(text, step);
    }
    // The text without what differs from run to run, or whenever a kernel's text changes.
    std::string masked(std::string text, std::string const& step) const {
        for (std::size_t begin; (begin = text.find(folder.path)) != text.npos;) {
            text.replace(begin, folder.path.size(), "FOLDER");
        }
        for (std::size_t end; (end = text.find('\0')) != text.npos;) text.replace(end, 1, "\\0");
        // The usage is recorded once, and no digest of kernels' text.
        auto const usage = text.find("\n    build    ");
        if (usage != text.npos && step != "") text.resize(usage);
        text = std::regex_replace(text, std::regex("(text |\", )([0-9a-f]{16}\n|[0-9]+)"),
                                  "$1DIGEST\n");
        return std::regex_replace(text, std::regex("[.]byte [0-9, ]+"), ".byte DIGEST");
    }
};

} // namespace

TEST_CASE("the packer answers and makes what was recorded") {
    char const* const earlier = std::getenv("NVCC_CCBIN");
    std::string const compiler = earlier == nullptr ? "" : earlier;
    unsetenv("NVCC_CCBIN");
    rig const rig;
    std::vector<std::string> lines;
    for (auto const& line : test::questions_in(SPIO_PACKER_ANSWERS)) {
        if (line.starts_with("NVCC_CCBIN=")) setenv("NVCC_CCBIN", line.substr(11).c_str(), 1);
        test::add_answer(lines, line, line.starts_with("NVCC") ? "" : rig.ask(line));
    }
    if (earlier != nullptr) {
        setenv("NVCC_CCBIN", compiler.c_str(), 1);
    } else {
        unsetenv("NVCC_CCBIN");
    }
    auto const count = test::compare_with_record(lines, SPIO_PACKER_ANSWERS, "SPIO_RECORD_PACKER");
    std::cout << "summary: aot.packer: " << count << " lines as recorded\n";
}
