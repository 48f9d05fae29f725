// All that the command prints for a list of lines, compared with a record.
// SPDX-License-Identifier: Apache-2.0
//
// A pack is a file of compiled kernels, a family the kernels of one operation. `spio` is the
// project's command: it compiles, runs, measures and lists kernels. The fake driver stands for
// CUDA's, NVRTC is not there. transcripts.txt has each line with what it printed; of long answers a
// digest. To change the answers on purpose, record and commit the file:
//     SPIO_RECORD_TRANSCRIPTS=tests/command/transcripts.txt build/ci/tests/command/test_command
//     -tc="*transcript*"
#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"
#include "tests/spec/recorded.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

import spio.aot;
import spio.axpby;
import spio.cache;
import spio.command;
import spio.conv2d;
import spio.cuda;
import spio.fake_driver;
import spio.image;
import spio.spec;
import spio.system;
import spio.text;

using namespace spio;

namespace {

void write(std::string const& file, std::string_view text) {
    std::ofstream(file, std::ios::binary) << text;
}

// A kernel of a pack, and the size of its image.
struct pack_entry {
    spec kernel;
    std::size_t bytes;
    unsigned text_change = 0; // not 0: of another kernel text, so that the image is stale
};
// A pack of what the fake driver takes for cubins, of so many bytes.
std::string pack_of(std::vector<pack_entry> const& entries) {
    std::vector<aot::image_to_pack> images;
    for (auto const& [kernel, size, change] : entries) {
        std::string text = "\177ELF" + kernel.symbol + " " + '\0';
        text.resize(std::max(size, text.size()), 'x');
        auto const bytes = std::as_bytes(std::span(text));
        images.push_back({.kernel = kernel,
                          .kind = image_kind::cubin,
                          .bytes = {bytes.begin(), bytes.end()},
                          .compiler = "a test",
                          .text_digest = text_digest_of(kernel) ^ change});
    }
    auto const packed = aot::write_pack(images);
    return {reinterpret_cast<char const*>(packed.data()), packed.size()};
}

// Sets those of the environment variables that the command reads which have values here, and unsets
// the others, until the object is destroyed. SPIO_POLICI is a misspelled one, of which the command
// warns.
class variables {
  public:
    variables(std::initializer_list<std::pair<char const*, char const*>> values) {
        for (auto const* name :
             {"SPIO_CACHE_DIR", "SPIO_NVRTC", "SPIO_POLICI", "SPIO_POLICY", "HOME", "CUDA_HOME",
              "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "XDG_CACHE_HOME",
              "SPIO_CACHE", "SPIO_TUNED", "SPIO_LOG", "SPIO_TIER_UP", "SPIO_LIVE_TUNING"}) {
            if (char const* const value = std::getenv(name)) earlier[name] = value;
            names.emplace_back(name);
            unsetenv(name);
        }
        for (auto const& [name, value] : values) setenv(name, value, 1);
    }
    ~variables() {
        for (auto const& name : names) unsetenv(name.c_str());
        for (auto const& [name, value] : earlier) setenv(name.c_str(), value.c_str(), 1);
    }
    variables(variables const&) = delete;
    variables& operator=(variables const&) = delete;

  private:
    std::vector<std::string> names;
    std::map<std::string, std::string> earlier;
};

// The words before a line's command: NAME=VALUE sets a variable for the line alone, GPUS the count
// of the fake driver, DRIVER its version, FAILS the code with which its first call fails.
class settings {
  public:
    // Takes these words from the line.
    settings(std::string& line, std::string const& folder) {
        auto& machine = fake::the_machine();
        std::regex const word("^([A-Z_]+)=([^ ]*) ");
        for (std::smatch match; std::regex_search(line, match, word); line = match.suffix()) {
            std::string const name = match[1];
            auto const value = std::regex_replace(match[2].str(), std::regex("FOLDER"), folder);
            if (name == "GPUS") machine.counted = std::stoi(value);
            if (name == "DRIVER") machine.driver_version = std::stoi(value);
            if (name == "FAILS") {
                machine.expect({.call = 0, .code = static_cast<unsigned>(std::stoi(value))});
            }
            char const* const earlier = std::getenv(name.c_str());
            changed.emplace_back(name, earlier != nullptr ? earlier : "");
            setenv(name.c_str(), value.c_str(), 1);
        }
    }
    ~settings() {
        auto& machine = fake::the_machine();
        machine.counted = fake::machine::devices;
        machine.driver_version = 13000;
        machine.expect({});
        for (auto const& [name, value] : changed) {
            value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
        }
    }
    settings(settings const&) = delete;
    settings& operator=(settings const&) = delete;

  private:
    std::vector<std::pair<std::string, std::string>> changed;
};

// Files that the lines name, and an environment that is the same everywhere. wrong.manifest has a
// misspelled field; a manifest has at most 1 MiB, so large.manifest is refused; no.kernels is no
// CUDA Python, and no.kernels.py has no kernel.
class stage {
  public:
    stage() {
        fake::the_machine().expect({}); // the driver refuses no call
        auto unknown = axpby::specialize({.n = 5}, sm_90a);
        unknown.family = "scale_rows";
        auto const kernel = [](int n, arch arch) { return axpby::specialize({.n = n}, arch); };
        write(pack, pack_of({{kernel(1000, sm_90a), 0},
                             {kernel(1000000, sm_80), 12345},
                             {kernel(7, sm_80), 10000, 1},
                             {unknown, 9999}}));
        auto damaged = pack_of({{kernel(1000, sm_90a), 0}});
        damaged.back() ^= 1;
        write(folder / "damaged.spiopack", damaged);
        write(folder / "no.spiopack", "no pack");
        write(folder / "empty.manifest", "# nothing\n");
        write(folder / "wrong.manifest", "axpby n=1\nconv2d n=1 c=8 h=8 w=8 pas=fprop\n");
        write(folder / "launch.manifest", "axpby n=1\nlayernorm_2d channels=64 positions=4\n");
        write(folder / "large.manifest", std::string(1 << 20, '#') + "\n");
        write(folder / "most.manifest", std::string((1 << 20) - 1, '#') + "\n");
        write(folder / "no.kernels", "#!/bin/sh\n");
        write(folder / "no.kernels.py", "import math\n");
        write(folder / "kernels.py",
              "from numba import cuda\n\n\n@cuda.jit('int32, int32[:]')\ndef fill(n, y):\n"
              "    i = cuda.grid(1)\n    if i < y.size:\n        y[i] = n // 3\n\n\n"
              "@cuda.jit('float32[:, :]')\ndef plane(x):\n    i, j = cuda.grid(2)\n"
              "    if i < x.shape[0] and j < x.shape[1]:\n        x[i, j] *= 2\n");
        REQUIRE(mkdir((folder / "open").c_str(), 0777) == 0);
        REQUIRE(chmod((folder / "open").c_str(), 0777) == 0);
        fill_cache();
    }
    stage(stage const&) = delete;
    stage& operator=(stage const&) = delete;

    // The answer to a line: its status, then what it printed on standard output and told on
    // standard error. `memory` is what a problem may take, in bytes: with 1 byte every problem is
    // refused before a kernel runs.
    std::string ask(std::string const& line, std::uint64_t memory = 1) {
        std::vector<std::string> words;
        for (std::size_t begin = 0; begin < line.size();) {
            char const quote = line[begin] == '"' ? '"' : ' ';
            if (quote == '"') ++begin;
            auto const end = std::min(line.find(quote, begin), line.size());
            words.push_back(std::regex_replace(line.substr(begin, end - begin),
                                               std::regex("FOLDER"), folder.path));
            begin = end + (quote == '"' ? 2 : 1);
        }
        std::vector<std::string_view> const views(words.begin(), words.end());
        std::string printed, told;
        auto const status = command::run(
            views, {.print = [&](std::string_view text) { printed += text; },
                    .tell = [&](std::string_view text) { told += text; },
                    .is_interactive = is_interactive,
                    .open_driver = [] { return std::make_unique<cuda::driver>(fake::find); },
                    .program = program,
                    .memory_bytes = memory});
        fake::the_machine().calls.clear();
        return "ends with " + std::to_string(static_cast<int>(status)) + "\n" + masked(printed) +
               (told.empty() ? "" : "told: " + masked(told));
    }

    // Text without what differs from one run or machine to another.
    std::string masked(std::string text) const {
        auto const replace = [&](char const* pattern, std::string const& other) {
            text = std::regex_replace(text, std::regex(pattern), other);
        };
        for (std::size_t begin; (begin = text.find(folder.path)) != text.npos;) {
            text.replace(begin, folder.path.size(), "FOLDER");
        }
        // Variables of tests, which the command does not read.
        replace("  +SPIO_(FAULT|RECORD|TEST)[^\n]*\n", "");
        replace(",[{]\"name\":\"SPIO_(FAULT|RECORD|TEST)[^}]*[}]", "");
        replace("[|] [0-9a-f]{16}\n", "| DIGEST\n"); // of all kernels' text
        replace("(found|loaded) in [^,\n]*", "$1 in TIME");
        replace("_milliseconds\":[0-9.e+-]+", "_milliseconds\":TIME");
        replace("mode (0[0-7]+), of .* free\n", "mode $1\n");
        replace("\"owner\":\"[^\"]*\",\"file_system\":\"[^\"]*\",\"free_bytes\":[0-9]+", "DISK");
        replace("PATH=.*\n", "PATH\n");
        replace("\"name\":\"PATH\"[^}]*[}]", "PATH");
        replace("\"places\":\\[[^\\]]*\\]", "PLACES");
        replace("\"kernel_text\":\"[0-9a-f]+\"", "KERNEL_TEXT");
        replace("\"version\":\"[0-9.]+\"", "VERSION");
        replace("spio [0-9]+[.][0-9.]+[^\n]*", "spio VERSION");
        return text;
    }

    test::folder folder;
    std::string pack = folder / "whole.spiopack", cache = folder / "cache";
    bool is_interactive = false;
    std::filesystem::path program = {};

  private:
    variables environment = {{"SPIO_CACHE_DIR", cache.c_str()},
                             {"SPIO_NVRTC", "/nowhere/libnvrtc.so"},
                             {"SPIO_POLICI", "jit_only"},
                             {"HOME", "/nowhere"},
                             {"CUDA_HOME", "/nowhere"}};

    // Makes a cache with an intact image, a damaged one, an unfinished file, one that was moved
    // aside and an unknown one, all last used at a fixed time.
    void fill_cache() {
        REQUIRE(mkdir(cache.c_str(), 0700) == 0);
        cache::options options;
        options.folder = cache;
        cache::folders folders(options);
        folders.compile_once({}, [] {
            return cache::entry{.symbol = "axpby_256x4",
                                .arch = "sm_90a",
                                .parameters = {},
                                .cubin = std::vector<unsigned char>(23456, 7)};
        });
        std::string const name(64, 'a');
        write(cache + "/" + name + ".image", "damaged");
        write(cache + "/" + name + ".temporary-1-1-1-1", "unfinished");
        write(cache + "/" + std::string(64, 'b') + ".aside-1-1-1-1", "aside");
        write(cache + "/notes.txt", "mine");
        timespec times[2] = {{.tv_sec = 1000000000, .tv_nsec = 0},
                             {.tv_sec = 1767225599, .tv_nsec = 0}};
        for (auto const& file : std::filesystem::directory_iterator(cache)) {
            if (!file.is_regular_file()) continue;
            utimensat(AT_FDCWD, file.path().c_str(), times, 0);
        }
    }
};

} // namespace

TEST_CASE("what the command prints is what the transcript has") {
    stage stage;
    std::vector<std::string> lines;
    auto const add = [&](std::string const& line, std::string const& answer) {
        test::add_answer(lines, line, answer);
    };
    for (std::string line : test::questions_in(SPIO_TRANSCRIPTS)) {
        std::string_view const cat = "cat ", terminal = "terminal: ";
        if (line.starts_with(cat)) {
            add(line, stage.masked(read_file(stage.folder / line.substr(cat.size()))));
            continue;
        }
        auto const question = line;
        settings const set(line, stage.folder.path);
        // On a terminal the command says what it does, and finds packs beside its program. These
        // lines, and those that name the pack, may take 1 TiB, so that their kernels run.
        stage.is_interactive = line.starts_with(terminal);
        stage.program = stage.is_interactive ? stage.folder / "spio" : "";
        bool const needs_memory =
            stage.is_interactive || line.find("pack FOLDER/whole") != line.npos;
        add(question, stage.ask(stage.is_interactive ? line.substr(terminal.size()) : line,
                                needs_memory ? std::uint64_t{1} << 40 : 1));
    }
    auto const count =
        test::compare_with_record(lines, SPIO_TRANSCRIPTS, "SPIO_RECORD_TRANSCRIPTS");
    std::cout << "summary: command.transcripts: " << count << " lines as recorded\n";
}
