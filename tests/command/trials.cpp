// The data, the references and the bounds of trials, compared with a record.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from, a pack a file of compiled kernels. A trial is a problem
// with random data, which `spio run --check` compares with sums in double. The kernels of the fake
// driver, which stands for CUDA's, compute nothing: all results stay NaN, so that each answer has
// what the first result should be and how far off it may be. trials.txt has the lines, each after a
// $; what comes after a | is no part of the kernel's own problem. To change the answers on purpose,
// record and commit the file:
//     SPIO_RECORD_TRIALS=tests/command/trials.txt build/ci/tests/command/test_command
//     -tc="*trials*"
#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"
#include "tests/spec/recorded.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

import spio.aot;
import spio.command;
import spio.cuda;
import spio.fake_driver;
import spio.families;
import spio.image;
import spio.spec;
import spio.text;

#include "tests/command/answer.h" // after the imports

using namespace spio;

namespace {

// Runs a line on a GPU that has its kernels, and returns the status and what is printed of it.
std::string answer_to(std::string const& line, test::folder const& folder) {
    auto const bar = line.find(" | ");
    auto const problem = line.substr(0, bar);
    auto const others = bar == line.npos ? "" : line.substr(bar + 2);
    bool const is_older = others.find("--arch sm_80") != others.npos;
    auto const kernels = specs_of_line(problem, families(), is_older ? sm_80 : sm_90a);
    std::vector<aot::image_to_pack> images;
    std::map<std::string, std::size_t> sizes;
    for (auto const& kernel : kernels) {
        auto const text = "\177ELF" + kernel.symbol + " " + '\0';
        auto const bytes = std::as_bytes(std::span(text));
        sizes[kernel.symbol] = kernel.params_bytes;
        images.push_back({.kernel = kernel,
                          .kind = image_kind::cubin,
                          .bytes = {bytes.begin(), bytes.end()},
                          .compiler = "a test",
                          .text_digest = text_digest_of(kernel)});
    }
    auto const pack = folder / "trial.spiopack";
    auto const packed = aot::write_pack(images);
    std::ofstream(pack, std::ios::binary)
        .write(reinterpret_cast<char const*>(packed.data()),
               static_cast<std::streamsize>(packed.size()));
    fake::the_machine().expect({});
    fake::the_machine().params_bytes = [sizes](std::string const& name) { return sizes.at(name); };
    std::istringstream input("run " + problem + others + " --check --time --json --pack " + pack);
    std::vector<std::string> words;
    for (std::string word; input >> word;) words.push_back(word);
    auto const got = test::answer_to(std::vector<std::string_view>(words.begin(), words.end()));
    fake::the_machine().params_bytes = nullptr;
    auto const begin = got.printed.find("\"check\":");
    auto const end = got.printed.find(",\"host_milliseconds\"");
    auto const part = begin == got.printed.npos ? got.told : got.printed.substr(begin, end - begin);
    return std::to_string(static_cast<int>(got.status)) + " " + part + "\n";
}

} // namespace

TEST_CASE("trials have the data, the results and the bounds that were recorded") {
    test::folder const folder;
    std::vector<std::string> lines;
    for (auto const& line : test::questions_in(SPIO_TRIALS)) {
        test::add_answer(lines, line, answer_to(line, folder));
    }
    auto const count = test::compare_with_record(lines, SPIO_TRIALS, "SPIO_RECORD_TRIALS");
    std::cout << "summary: command.trials: " << count / 2 << " trials as recorded\n";
}
