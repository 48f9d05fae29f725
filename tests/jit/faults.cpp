// Every call of NVRTC fails once: an error names it, no program is left, and the next one compiles.
// SPDX-License-Identifier: Apache-2.0
//
// A fault is a call of the fake NVRTC that is made to fail. A program is NVRTC's object of a text
// that is compiled. Each function of the fake names that of NVRTC for which it stands. Its results
// 3, 4, 5 and 7 are wrong input, a wrong program, a wrong option and a failure of its own.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

import spio.error;
import spio.jit;

using namespace spio::jit;

namespace {

using result = nvrtc_entries::result;
using program = nvrtc_entries::program;

// The state of the fake of NVRTC that the tests pass to the compiler: the number of the call that
// fails, counted from 0, the calls so far, and the programs that were created and not destroyed.
long fails_at = -1;
std::vector<std::string> calls;
std::set<program> programs;

// What is behind a program's handle.
struct text {
    std::string source, log = {};
    bool is_compiled = false;
};
text& text_of(program handle) { return *reinterpret_cast<text*>(handle); }
program handle_of(text* owned) { return reinterpret_cast<program>(owned); }
constexpr auto refused = result(7);

// Notes a call, and says whether it is the one that fails.
bool fails(char const* entry) {
    calls.push_back(entry);
    return static_cast<long>(calls.size()) - 1 == fails_at;
}

result get_version(int* major, int* minor) {
    if (fails("nvrtcVersion")) return refused;
    *major = 13, *minor = 0;
    return result::success;
}
// Returns no text if this call is the one that fails.
char const* get_error_string(result r) {
    if (fails("nvrtcGetErrorString")) return nullptr;
    return r == result::compilation_failed ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_OF_THE_FAKE";
}
result create(program* handle, char const* source, char const* name, int count,
              char const* const* texts, char const* const* names) {
    if (fails("nvrtcCreateProgram")) return refused;
    bool found = std::strlen(name) > 0;
    for (int h = 0; h < count; ++h) {
        found = found && std::strlen(names[h]) > 0 && std::strlen(texts[h]) > 0;
    }
    if (!found || count == 0) return result(3);
    *handle = *programs.insert(handle_of(new text{source})).first;
    return result::success;
}
result destroy(program* gone) {
    bool const fails_now = fails("nvrtcDestroyProgram");
    if (programs.erase(*gone) == 1) delete &text_of(*gone);
    *gone = nullptr;
    return fails_now ? refused : result::success;
}
result compile(program handle, int count, char const* const* options) {
    if (fails("nvrtcCompileProgram")) return refused;
    if (count == 0 || std::string(options[0]).rfind("-arch=", 0) != 0) return result(5);
    text_of(handle).is_compiled = text_of(handle).source.find("error") == std::string::npos;
    text_of(handle).log = text_of(handle).is_compiled ? "" : "line 1: error";
    return text_of(handle).is_compiled ? result::success : result::compilation_failed;
}
result cubin_size(program handle, std::size_t* size) {
    if (fails("nvrtcGetCUBINSize")) return refused;
    *size = text_of(handle).source.size();
    return text_of(handle).is_compiled ? result::success : result(4);
}
result cubin(program handle, char* bytes) {
    if (fails("nvrtcGetCUBIN")) return refused;
    std::memcpy(bytes, text_of(handle).source.data(), text_of(handle).source.size());
    return result::success;
}
// There is no PTX: the cubin stays as it is.
result ptx_size(program, std::size_t* size) {
    if (fails("nvrtcGetPTXSize")) return refused;
    *size = 0;
    return result::success;
}
result ptx(program, char*) { return fails("nvrtcGetPTX") ? refused : result::success; }
result log_size(program handle, std::size_t* size) {
    if (fails("nvrtcGetProgramLogSize")) return refused;
    *size = text_of(handle).log.size() + 1;
    return result::success;
}
result read_log(program handle, char* bytes) {
    if (fails("nvrtcGetProgramLog")) return refused;
    std::memcpy(bytes, text_of(handle).log.c_str(), text_of(handle).log.size() + 1);
    return result::success;
}

constexpr nvrtc_entries fake = {.version = get_version,
                                .error_string = get_error_string,
                                .create_program = create,
                                .destroy_program = destroy,
                                .compile_program = compile,
                                .cubin_size = cubin_size,
                                .cubin = cubin,
                                .ptx_size = ptx_size,
                                .ptx = ptx,
                                .log_size = log_size,
                                .log = read_log};

// The end of an error's reason: the options of the compilation.
std::string options_text(std::vector<std::string> const& options) {
    std::string text = "\noptions:";
    for (auto const& option : options) text += " " + option;
    return text;
}

// What became of the compilations of compile_all(): an error, or whether all results were right.
struct outcome {
    std::optional<spio::error> thrown;
    bool right = true;
};

// Compiles four kernels for two architectures. The fourth text has a mistake, which must be
// reported.
void compile_all(outcome& run) {
    nvrtc const compiler(fake, "fake");
    run.right = compiler.major() == 13 && compiler.minor() == 0;
    for (auto arch : {"sm_80", "sm_90a"}) {
        for (std::string text : {"one", "two", "three", "error"}) {
            std::string_view expected = text == "error" ? "nvrtcCompileProgram" : "";
            std::string tried;
            try {
                compiled const output =
                    compiler.compile({.name = "kernel " + text, .text = text}, arch);
                run.right = run.right && output.cubin.size() == text.size() && output.log.empty();
            } catch (spio::error const& e) {
                if (e.tried() != expected) throw;
                bool const log_failed = e.reason().find("its log") != std::string::npos;
                // Passes on an error by the call that fails; the others must be about the mistake.
                if (e.reason().find("OF_THE_FAKE") != std::string::npos && !log_failed) throw;
                run.right = run.right && e.reason().ends_with(options_text(nvrtc_options(arch))) &&
                            e.subject() == "kernel error" &&
                            (log_failed || e.log() == "line 1: error");
                tried = e.tried();
            }
            run.right = run.right && tried == expected;
        }
    }
}

// The outcome if the call of this number fails; with -1 none does.
outcome run_with_fault(long fault) {
    outcome run;
    calls.clear();
    fails_at = fault;
    try {
        compile_all(run);
    } catch (spio::error const& e) {
        run.thrown = e;
    }
    fails_at = -1;
    return run;
}

} // namespace

TEST_CASE("each call of NVRTC fails once") {
    outcome const faultless = run_with_fault(-1);
    REQUIRE(!faultless.thrown);
    REQUIRE(faultless.right);
    auto const sequence = calls;
    std::set<std::string> const entries(sequence.begin(), sequence.end());
    int thrown = 0, right = 0, wrong = 0;
    for (std::size_t call = 0; call < sequence.size(); ++call) {
        CAPTURE(call);
        CAPTURE(sequence[call]);
        outcome const run = run_with_fault(static_cast<long>(call));
        bool const named =
            !run.thrown || (run.thrown->tried() == sequence[call] &&
                            run.thrown->reason().starts_with("NVRTC_ERROR_OF_THE_FAKE") &&
                            !run.thrown->subject().empty());
        bool const fine = named && (run.thrown || run.right) && programs.empty();
        CHECK(named);
        CHECK((run.thrown || run.right));
        CHECK(programs.empty());
        outcome const next = run_with_fault(-1);
        CHECK(!next.thrown);
        CHECK(next.right);
        ++(run.thrown ? thrown : right);
        wrong += !fine;
    }
    CHECK(entries.size() == 11); // all functions of NVRTC that Spio calls
    std::cout << "summary: jit.faults: " << sequence.size() << " calls of " << entries.size()
              << " entries fail once: " << thrown << " errors, " << right
              << " results right all the same, " << wrong << " wrong\n";
}

TEST_CASE("at most eight compile at once") {
    static std::atomic<int> now = 0, most = 0;
    nvrtc_entries slow = fake;
    slow.create_program = [](program* handle, char const*, char const*, int, char const* const*,
                             char const* const*) {
        *handle = handle_of(new text);
        return result::success;
    };
    slow.destroy_program = [](program* gone) { return delete &text_of(*gone), result::success; };
    slow.compile_program = [](program, int, char const* const*) {
        int const running = ++now;
        for (int seen = most; running > seen && !most.compare_exchange_weak(seen, running);) {
        }
        // Eight meet, however slowly threads start; then a ninth has time to come.
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (most < 8 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        --now;
        return result::success;
    };
    slow.log_size =
        slow.cubin_size = [](program, std::size_t* size) { return *size = 1, result::success; };
    slow.log = slow.cubin = [](program, char* byte) { return *byte = 0, result::success; };
    // The entries of the fake would record their calls, from all threads at once.
    slow.ptx_size = [](program, std::size_t* size) { return *size = 0, result::success; };
    slow.ptx = [](program, char*) { return result::success; };
    nvrtc const compiler(slow, "slow");
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 32; ++t) {
            threads.emplace_back([&] { compiler.compile({.name = "a", .text = "b"}, "sm_80"); });
        }
    }
    CHECK(most == 8);
}

// NVRTC's threads and locks stay with the parent.
TEST_CASE("a process forked during a compilation gets an error, and one forked later compiles") {
    static std::atomic<bool> is_running = false, may_end = false;
    nvrtc_entries slow = fake;
    slow.compile_program = [](program handle, int count, char const* const* options) {
        is_running = true;
        while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return compile(handle, count, options);
    };
    nvrtc const compiler(slow, "slow"), calm(fake, "calm");
    auto const kind_in_child = [&] {
        pid_t const child = fork();
        if (child == 0) {
            try {
                calm.compile({.name = "kernel", .text = "one"}, "sm_80");
                _exit(100);
            } catch (spio::error const& failure) {
                _exit(static_cast<int>(failure.kind()));
            }
        }
        int status = 0;
        waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    };
    {
        std::jthread const thread(
            [&] { compiler.compile({.name = "kernel", .text = "one"}, "sm_80"); });
        while (!is_running) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        CHECK(kind_in_child() == static_cast<int>(spio::error_kind::no_compiler));
        may_end = true;
    }
    CHECK(kind_in_child() == 100);
}

TEST_CASE("an NVRTC that is too old is refused by its version") {
    auto old = fake;
    old.version = [](int* major, int* minor) {
        *major = 12, *minor = 9;
        return result::success;
    };
    try {
        nvrtc const opened(old, "old");
        CHECK(false);
    } catch (spio::error const& e) {
        CHECK(e.tried() == "nvrtcVersion");
        CHECK(e.reason() == "it is 12.9, and at least 13.0 is needed");
    }
}
