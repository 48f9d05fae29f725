// A fuzz target: NVRTC's log, whatever it says, and the build id in a library's file.
// SPDX-License-Identifier: Apache-2.0
//
// NVRTC is a fake whose texts are the fuzzer's input and whose calls fail as the first byte says.
// The build id of an ELF file, which names a build of a library, is in a note: a header (the sizes
// of the name and of the value, and a type, 3), the name GNU and the value. A segment describes
// where notes are in the file. tests/fuzz.cmake has the fuzzer run 5000 times, in nightly tests a
// million. For longer:
//     build/ci/tests/jit/fuzz_log -runs=10000000 -max_len=4096 -print_final_stats=1
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

import spio.error;
import spio.jit;

using namespace spio::jit;

namespace {

using result = nvrtc_entries::result;
using program = nvrtc_entries::program;

std::size_t logs = 0, ids = 0; // logs that came whole, and build ids that were found
std::string_view said;         // the log, the cubin and the PTX of the fake
// What the fake returns for a compilation, for the size of a text, and for the text.
result compiling, measuring, reading;

// The fake's functions, of which each stands for that of NVRTC with a similar name.
result version(int* major, int* minor) { return *major = 13, *minor = 0, result::success; }
char const* words(result) { return nullptr; }
result create(program* output, char const* /*source*/, char const* /*name*/, int /*headers*/,
              char const* const* /*texts*/, char const* const* /*names*/) {
    *output = nullptr;
    return result::success;
}
result destroy(program*) { return result::success; }
result compile(program, int, char const* const*) { return compiling; }
result size_of_said(program, std::size_t* size) { return *size = said.size(), measuring; }
// Gives the log that the fuzzer has made, in place of NVRTC's.
result say(program, char* destination) {
    if (!said.empty()) std::memcpy(destination, said.data(), said.size());
    return reading;
}
constexpr nvrtc_entries fuzzed = {.version = version,
                                  .error_string = words,
                                  .create_program = create,
                                  .destroy_program = destroy,
                                  .compile_program = compile,
                                  .cubin_size = size_of_said,
                                  .cubin = say,
                                  .ptx_size = size_of_said,
                                  .ptx = say,
                                  .log_size = size_of_said,
                                  .log = say};

// Called at the end of the program.
void print_figure() {
    std::printf("summary: jit.fuzz_log: %zu logs came whole, %zu build ids were read\n", logs, ids);
}

// Whether `log` is what NVRTC said, without zeros at its end, or empty if a call for it failed.
bool is_log(std::string const& log) {
    auto text = said;
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    bool const was_read = measuring == result::success && reading == result::success;
    logs += was_read && !text.empty();
    return log == (was_read ? text : std::string_view());
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) { return std::atexit(print_figure); }

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    ids += !build_id_in({data, size}).empty();
    if (size == 0) return 0;
    // NVRTC_ERROR_COMPILATION if a bit of the first byte is set.
    auto const fails = [&](int bit) { return result(data[0] >> bit & 1 ? 6 : 0); };
    compiling = fails(0), measuring = fails(1), reading = fails(2);
    said = {reinterpret_cast<char const*>(data) + 1, size - 1};
    static nvrtc const compiler(fuzzed, "fuzzed");
    static std::vector<std::string> const options = {"-arch=x"};
    try {
        auto const output = compiler.compile({.name = "k", .text = "", .headers = {}}, options);
        if (!is_log(output.log) || output.cubin.size() > said.size()) std::abort();
    } catch (spio::error const& e) {
        if (e.subject() != "k" || (e.tried() != "nvrtcGetCUBIN" && !is_log(e.log()))) std::abort();
    }
    return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(unsigned char* data, std::size_t size, std::size_t most);

// Makes every other input an ELF file with a header, one segment and one note; build_id_in() would
// refuse nearly all other bytes at once.
extern "C" std::size_t LLVMFuzzerCustomMutator(unsigned char* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, most);
    // Bytes of the file's header, of a segment's header and of a note with a name of 4 and a value
    // of 8 bytes.
    constexpr std::size_t head = 64, segment = 56, note = 12 + 4 + 8;
    if (seed % 2 == 0 || most < head + segment + note) return size;
    if (size < head + segment + note) {
        std::memset(data + size, 0, head + segment + note - size);
        size = head + segment + note;
        unsigned char const gnu[] = {4, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
        std::memcpy(data + head + segment, gnu, sizeof gnu);
        data[head + 8] = head + segment; // p_offset: where the segment begins
        data[head + 32] = note;          // p_filesz: its size
    }
    std::memcpy(data, "\177ELF", 4);
    data[32] = head; // e_phoff: where the headers of segments are
    data[56] = 1;    // e_phnum: how many there are
    data[head] = 4;  // p_type: PT_NOTE
    return size;
}
