// NVRTC that is not there: what it makes is what the fake driver takes for a cubin.
// SPDX-License-Identifier: Apache-2.0
module;

#include "tests/cuda/fake_machine.h"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

export module spio.fake_nvrtc;

import spio.jit;

export namespace fake {

// What is alive of it, and how often it has compiled.
inline std::atomic<int> programs = 0, compilations = 0;

} // namespace fake

namespace fake {

using entries = spio::jit::nvrtc_entries;
using result = entries::result;
using program = entries::program;

// Its calls are among those of the machine, and fail as they do.
bool fails(char const* entry) {
    std::lock_guard const lock(the_machine().mutex);
    return the_machine().fails(entry);
}
constexpr auto refused = result(7);

struct text {
    std::string source, cubin = {};
};
text& of(program p) { return *reinterpret_cast<text*>(p); }

result version(int* major, int* minor) {
    *major = 13, *minor = 0;
    return fails("nvrtcVersion") ? refused : result::success;
}
char const* error_string(result) { return "NVRTC_ERROR_OF_THE_FAKE"; }
result create(program* made, char const* source, char const*, int, char const* const*,
              char const* const*) {
    if (fails("nvrtcCreateProgram")) return refused;
    *made = reinterpret_cast<program>(new text{source});
    ++programs;
    return result::success;
}
result destroy(program* gone) {
    if (*gone != nullptr) {
        delete &of(*gone);
        --programs;
    }
    *gone = nullptr;
    return fails("nvrtcDestroyProgram") ? refused : result::success;
}
// The one kernel of a specialization's text.
result compile(program p, int, char const* const*) {
    if (fails("nvrtcCompileProgram")) return refused;
    std::string_view rest = of(p).source;
    constexpr std::string_view before = "__global__ void ";
    auto const at = rest.find(before);
    if (at == rest.npos) return result::compilation_failed;
    rest.remove_prefix(at + before.size());
    of(p).cubin = "\177ELF" + std::string(rest.substr(0, rest.find('('))) + " " + '\0';
    ++compilations;
    return result::success;
}
result cubin_size(program p, std::size_t* size) {
    *size = of(p).cubin.size();
    return fails("nvrtcGetCUBINSize") ? refused : result::success;
}
result cubin(program p, char* bytes) {
    if (fails("nvrtcGetCUBIN")) return refused;
    std::memcpy(bytes, of(p).cubin.data(), of(p).cubin.size());
    return result::success;
}
result log_size(program, std::size_t* size) {
    *size = 1;
    return fails("nvrtcGetProgramLogSize") ? refused : result::success;
}
result log(program, char* bytes) {
    *bytes = '\0';
    return fails("nvrtcGetProgramLog") ? refused : result::success;
}

export entries const nvrtc = {.version = version,
                              .error_string = error_string,
                              .create_program = create,
                              .destroy_program = destroy,
                              .compile_program = compile,
                              .cubin_size = cubin_size,
                              .cubin = cubin,
                              .log_size = log_size,
                              .log = log};

} // namespace fake
