// Opens NVRTC and compiles with it.
// SPDX-License-Identifier: Apache-2.0
module;

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <filesystem>
#include <semaphore>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

module spio.jit;

import :library_file;

namespace spio::jit {

namespace {

using result = nvrtc_entries::result;

// The first that has all options of a compilation.
constexpr int least_major = 13;

// The compiler recurses as deep as its input does. Asked to find room by itself, it would raise the
// limit of the whole process.
constexpr std::size_t stack_bytes = std::size_t{64} << 20;
constexpr std::ptrdiff_t most_at_once = 8;
std::counting_semaphore<most_at_once> places_to_compile(most_at_once);

struct place_to_compile {
    place_to_compile() { places_to_compile.acquire(); }
    place_to_compile(place_to_compile const&) = delete;
    ~place_to_compile() { places_to_compile.release(); }
};

// NVRTC asks the file system for each header in memory, too, and takes two for one that are one
// file there. So its thread goes where there are none, without the rest of the program. Where that
// is forbidden, a working directory with such files makes a compilation fail.
void leave_working_directory() {
    if (unshare(CLONE_FS) != 0) return;
    if (chdir("/proc") != 0 && chdir("/") != 0) return;
}

// Calls f on a thread with a deep stack, where no signal of the program is handled, and waits.
template <class F> void call_on_deep_stack(std::string const& for_what, F f) {
    struct work {
        F f;
        std::exception_ptr failure;
    } work{f, nullptr};
    auto const run = [](void* given) -> void* {
        auto& todo = *static_cast<struct work*>(given);
        leave_working_directory();
        try {
            todo.f();
        } catch (...) {
            todo.failure = std::current_exception();
        }
        return nullptr;
    };

    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_t attributes;
    pthread_t thread;
    int failed = pthread_attr_init(&attributes);
    if (failed == 0) {
        failed = pthread_attr_setstacksize(&attributes, stack_bytes);
        if (failed == 0) {
            pthread_sigmask(SIG_SETMASK, &all, &before);
            failed = pthread_create(&thread, &attributes, run, &work);
            pthread_sigmask(SIG_SETMASK, &before, nullptr);
        }
        pthread_attr_destroy(&attributes);
    }
    if (failed != 0) throw error(error_kind::io, "pthread_create", for_what, std::strerror(failed));
    pthread_join(thread, nullptr);
    if (work.failure) std::rethrow_exception(work.failure);
}

// A program of NVRTC's, for one compilation.
class program {
  public:
    program(nvrtc_entries const& of, source const& s) : entries(of), name(s.name) {
        std::vector<std::string> kept;
        std::vector<char const*> texts, names;
        kept.reserve(2 * s.headers.size());
        for (auto const& [header, text] : s.headers) {
            texts.push_back(kept.emplace_back(text).c_str());
            names.push_back(kept.emplace_back(header).c_str());
        }
        check("nvrtcCreateProgram",
              entries.create_program(&handle, s.text.c_str(), name.c_str(),
                                     static_cast<int>(names.size()), texts.data(), names.data()));
    }
    program(program const&) = delete;
    ~program() { entries.destroy_program(&handle); }

    compiled compile(std::vector<std::string> const& options) {
        std::vector<char const*> given;
        for (auto const& option : options) given.push_back(option.c_str());
        auto const done =
            entries.compile_program(handle, static_cast<int>(given.size()), given.data());
        compiled is;
        std::string const no_log = read_log(is.log);
        if (done != result::success) {
            throw failure("nvrtcCompileProgram", words_of(done) + no_log, options, is.log);
        }
        // A cubin is what it is, whether or not there is a log to go with it.
        std::size_t size = 0;
        check("nvrtcGetCUBINSize", entries.cubin_size(handle, &size), options, is.log);
        if (size == 0) {
            throw failure("nvrtcGetCUBINSize", "no cubin: the architecture is virtual", options,
                          is.log);
        }
        is.cubin.resize(size);
        check("nvrtcGetCUBIN", entries.cubin(handle, reinterpret_cast<char*>(is.cubin.data())),
              options, is.log);
        return is;
    }

  private:
    nvrtc_entries const& entries;
    std::string name;
    nvrtc_entries::program handle = nullptr;

    std::string words_of(result r) const {
        char const* const words = entries.error_string(r);
        return words ? words : "NVRTC error " + std::to_string(static_cast<unsigned>(r));
    }
    // The reason ends with the options, on a line of their own.
    error failure(char const* tried, std::string reason, std::vector<std::string> const& options,
                  std::string const& log) const {
        if (!options.empty()) reason += "\noptions:";
        for (auto const& option : options) reason += " " + option;
        return error(error_kind::tool_failed, tried, name, std::move(reason), log);
    }
    void check(char const* tried, result r, std::vector<std::string> const& options = {},
               std::string const& log = {}) const {
        if (r != result::success) throw failure(tried, words_of(r), options, log);
    }
    // Why there is none, if there is none.
    std::string read_log(std::string& log) const {
        std::size_t size = 0;
        auto r = entries.log_size(handle, &size);
        if (r != result::success) return "; its log: nvrtcGetProgramLogSize: " + words_of(r);
        log.resize(size);
        r = size == 0 ? r : entries.log(handle, log.data());
        if (r != result::success) log.clear();
        // It counts the closing zero.
        while (!log.empty() && log.back() == '\0') log.pop_back();
        return r == result::success ? "" : "; its log: nvrtcGetProgramLog: " + words_of(r);
    }
};

} // namespace

// Equal to those of nvcc where it builds images ahead of time, as far as both have them.
std::vector<std::string> nvrtc_options(std::string_view arch) {
    return {"-arch=" + std::string(arch), "-std=c++20", "-default-device",
            // see stack_bytes
            "--modify-stack-limit=false",
            // nothing from the folder where the program happens to run
            "--no-source-include",
            // neither textures nor the runtime's types: 3 ms of each compile
            "--minimal"};
}

nvrtc::nvrtc(nvrtc_entries const& there, std::string built)
    : entries(there), build(std::move(built)) {
    ask_version();
}

nvrtc::nvrtc(std::filesystem::path const& path) { open(path); }

nvrtc::nvrtc() {
    std::vector<std::filesystem::path> unusable;
    for (std::string tried;;) {
        try {
            auto const next = first_nvrtc_file(unusable);
            unusable.push_back(next.path);
            open(next.path);
            return;
        } catch (error const& e) {
            // That there is no other one is told with what the others had.
            if (e.subject() == "libnvrtc.so") {
                throw error(error_kind::no_compiler, e.tried(), e.subject(), e.reason() + tried);
            }
            tried += std::string("\n") + e.what();
        }
    }
}

void nvrtc::open(std::filesystem::path const& path) {
    library_file const library = open_nvrtc(path);
    auto const find = [&](auto& function, char const* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
            dlsym(library.handle, name));
        if (!function)
            throw error(error_kind::tool_failed, "dlsym", library.path.string(),
                        std::string("no ") + name);
    };
    find(entries.version, "nvrtcVersion");
    find(entries.error_string, "nvrtcGetErrorString");
    find(entries.create_program, "nvrtcCreateProgram");
    find(entries.destroy_program, "nvrtcDestroyProgram");
    find(entries.compile_program, "nvrtcCompileProgram");
    find(entries.cubin_size, "nvrtcGetCUBINSize");
    find(entries.cubin, "nvrtcGetCUBIN");
    find(entries.log_size, "nvrtcGetProgramLogSize");
    find(entries.log, "nvrtcGetProgramLog");
    file = library.path;
    build = build_id_of(library.path);
    ask_version();
}

void nvrtc::ask_version() {
    auto const r = entries.version(&major_version, &minor_version);
    auto const subject = file.empty() ? "NVRTC" : file.string();
    if (r != result::success) {
        char const* const words = entries.error_string(r);
        throw error(error_kind::tool_failed, "nvrtcVersion", subject,
                    words ? words : "no words for it");
    }
    if (major_version < least_major) {
        throw error(error_kind::tool_failed, "nvrtcVersion", subject,
                    "it is " + std::to_string(major_version) + "." + std::to_string(minor_version) +
                        ", and at least " + std::to_string(least_major) + ".0 is needed");
    }
}

compiled nvrtc::compile(source const& s, std::vector<std::string> const& options) const {
    place_to_compile const mine;
    compiled is;
    call_on_deep_stack(s.name, [&] { is = program(entries, s).compile(options); });
    return is;
}

} // namespace spio::jit
