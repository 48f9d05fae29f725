// NVRTC's functions that we declared by hand are those of nvrtc.h: this file alone includes it.
// SPDX-License-Identifier: Apache-2.0
//
// The ABI is how calls pass their arguments. Spio declares NVRTC's functions by hand, because it is
// built where there is no CUDA. `entries` has a member for each of them.
#include <doctest/doctest.h>

#include <nvrtc.h>

#include <type_traits>

import spio.jit;

using entries = spio::jit::nvrtc_entries;

namespace {

// Types that pass the same bytes, and functions all of whose types do.
template <class Ours, class Theirs>
constexpr bool alike =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;
template <class Ours, class Theirs> constexpr bool same_call = false;
template <class R, class S, class... Ts, class... Us>
    requires(sizeof...(Ts) == sizeof...(Us))
constexpr bool same_call<R (*)(Ts...), S(Us...)> = alike<R, S> && (alike<Ts, Us> && ...);

static_assert(same_call<decltype(entries::version), decltype(nvrtcVersion)>);
static_assert(same_call<decltype(entries::error_string), decltype(nvrtcGetErrorString)>);
static_assert(same_call<decltype(entries::create_program), decltype(nvrtcCreateProgram)>);
static_assert(same_call<decltype(entries::destroy_program), decltype(nvrtcDestroyProgram)>);
static_assert(same_call<decltype(entries::compile_program), decltype(nvrtcCompileProgram)>);
static_assert(same_call<decltype(entries::cubin_size), decltype(nvrtcGetCUBINSize)>);
static_assert(same_call<decltype(entries::cubin), decltype(nvrtcGetCUBIN)>);
static_assert(same_call<decltype(entries::ptx_size), decltype(nvrtcGetPTXSize)>);
static_assert(same_call<decltype(entries::ptx), decltype(nvrtcGetPTX)>);
static_assert(same_call<decltype(entries::log_size), decltype(nvrtcGetProgramLogSize)>);
static_assert(same_call<decltype(entries::log), decltype(nvrtcGetProgramLog)>);
static_assert(static_cast<int>(entries::result::success) == NVRTC_SUCCESS);
static_assert(static_cast<int>(entries::result::compilation_failed) == NVRTC_ERROR_COMPILATION);

} // namespace
