// A fake of NVRTC: it turns each text into bytes that the fake driver loads as a cubin.
// SPDX-License-Identifier: Apache-2.0
//
// The fake driver stands for CUDA's; a fault is the one call of either that is made to fail. Each
// function below stands for the function of NVRTC that it names as the one that fails.
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

// Programs that are not destroyed yet, and compilations so far.
inline std::atomic<int> programs = 0, compilations = 0;

} // namespace fake

namespace fake {

using entries = spio::jit::nvrtc_entries;
using result = entries::result;
using program = entries::program;

// Calls of NVRTC are counted together with those of the driver, so that a fault can hit either.
bool fails(char const* entry) {
    std::lock_guard const lock(the_machine().mutex);
    return the_machine().fails(entry);
}
constexpr auto refused = result(7); // NVRTC_ERROR_BUILTIN_OPERATION_FAILURE

// What a program of NVRTC stands for here.
struct text {
    std::string source, cubin = {};
};
text& text_of(program p) { return *reinterpret_cast<text*>(p); }

result version(int* major, int* minor) {
    *major = 13, *minor = 0;
    return fails("nvrtcVersion") ? refused : result::success;
}
char const* error_string(result) { return "NVRTC_ERROR_OF_THE_FAKE"; }
result create(program* handle, char const* source, char const*, int, char const* const*,
              char const* const*) {
    if (fails("nvrtcCreateProgram")) return refused;
    *handle = reinterpret_cast<program>(new text{source});
    ++programs;
    return result::success;
}
result destroy(program* handle) {
    if (*handle != nullptr) {
        delete &text_of(*handle);
        --programs;
    }
    *handle = nullptr;
    return fails("nvrtcDestroyProgram") ? refused : result::success;
}
// Makes a cubin with the one kernel that a specialization's text declares.
result compile(program p, int, char const* const*) {
    if (fails("nvrtcCompileProgram")) return refused;
    std::string_view rest = text_of(p).source;
    constexpr std::string_view kernel_prefix = "__global__ void ";
    auto const position = rest.find(kernel_prefix);
    if (position == rest.npos) return result::compilation_failed;
    rest.remove_prefix(position + kernel_prefix.size());
    // The bounds of a launch may stand before the name.
    if (rest.starts_with("__launch_bounds__")) rest.remove_prefix(rest.find(") ") + 2);
    text_of(p).cubin = "\177ELF" + std::string(rest.substr(0, rest.find('('))) + " " + '\0';
    ++compilations;
    return result::success;
}
result cubin_size(program p, std::size_t* size) {
    *size = text_of(p).cubin.size();
    return fails("nvrtcGetCUBINSize") ? refused : result::success;
}
result cubin(program p, char* bytes) {
    if (fails("nvrtcGetCUBIN")) return refused;
    std::memcpy(bytes, text_of(p).cubin.data(), text_of(p).cubin.size());
    return result::success;
}
result ptx_size(program, std::size_t* size) {
    *size = 0;
    return fails("nvrtcGetPTXSize") ? refused : result::success;
}
result ptx(program, char*) { return fails("nvrtcGetPTX") ? refused : result::success; }
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
                              .ptx_size = ptx_size,
                              .ptx = ptx,
                              .log_size = log_size,
                              .log = log};

} // namespace fake
