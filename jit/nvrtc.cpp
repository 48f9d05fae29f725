// Opens NVRTC and compiles with it.
// SPDX-License-Identifier: Apache-2.0
//
// `entries` has NVRTC's functions, found in its library by name. A header is a name and a text in
// memory. NVRTC compiles the text of a kernel to a cubin, in memory; a program is its object for
// one text. Unused data of a cubin are variables that only the compiler reads.
module;

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

module spio.jit;

import spio.spec;
import spio.system;

namespace spio::jit {

namespace {

using result = nvrtc_entries::result;

// The oldest major version of CUDA whose NVRTC knows all options that Spio passes.
constexpr int least_major = 13;

// Bounds the compilations that run at the same time to eight. A process that is forked during a
// compilation inherits NVRTC's locks without the threads that would release them.
class compilation_slots {
  public:
    compilation_slots() {
        pthread_atfork([] { slots().mutex_.lock(); }, [] { slots().mutex_.unlock(); },
                       [] {
                           auto& child = slots();
                           child.is_forked_ = child.is_forked_ || child.running_ > 0;
                           child.mutex_.unlock();
                       });
    }
    static compilation_slots& slots() {
        // Never destroyed: in a forked process, the destructor could wait for threads that were not
        // forked.
        static auto& all_compilations = *new compilation_slots;
        return all_compilations;
    }
    void acquire(std::string const& subject) {
        std::unique_lock lock(mutex_);
        free_.wait(lock, [this] { return is_forked_ || running_ < most_running; });
        if (is_forked_) {
            throw error(error_kind::no_compiler, "compile", subject,
                        "this process was forked while its parent compiled, so that NVRTC would "
                        "wait for threads that only the parent has; load kernels before a fork, or "
                        "call exec after it");
        }
        ++running_;
    }
    void release() {
        {
            std::lock_guard const lock(mutex_);
            --running_;
        }
        free_.notify_one();
    }

  private:
    static constexpr int most_running = 8;
    std::mutex mutex_;
    std::condition_variable free_;
    int running_ = 0;
    bool is_forked_ = false;
};

struct compilation_slot {
    explicit compilation_slot(std::string const& subject) {
        compilation_slots::slots().acquire(subject);
    }
    compilation_slot(compilation_slot const&) = delete;
    ~compilation_slot() { compilation_slots::slots().release(); }
};

// An nvrtcProgram, for one compilation.
class program {
  public:
    program(nvrtc_entries const& functions, source const& source)
        : entries(functions), name(source.name) {
        std::vector<std::string> copies;
        std::vector<char const*> texts, names;
        copies.reserve(2 * source.headers.size());
        for (auto const& [header, text, digest] : source.headers) {
            texts.push_back(copies.emplace_back(text).c_str());
            names.push_back(copies.emplace_back(header).c_str());
        }
        check("nvrtcCreateProgram",
              entries.create_program(&handle, source.text.c_str(), name.c_str(),
                                     static_cast<int>(names.size()), texts.data(), names.data()));
    }
    program(program const&) = delete;
    ~program() { entries.destroy_program(&handle); }

    compiled compile(std::vector<std::string> const& options) {
        std::vector<char const*> words;
        for (auto const& option : options) words.push_back(option.c_str());
        auto const status =
            entries.compile_program(handle, static_cast<int>(words.size()), words.data());
        compiled output;
        auto const log_failure = read_log(output.log);
        if (status != result::success) {
            throw failure("nvrtcCompileProgram", message_of(status) + log_failure, options,
                          output.log);
        }
        // A missing log is no error from here on: the cubin is right without it.
        std::size_t size = 0;
        check("nvrtcGetCUBINSize", entries.cubin_size(handle, &size), options, output.log);
        if (size == 0) {
            throw failure("nvrtcGetCUBINSize", "no cubin: the architecture is virtual", options,
                          output.log);
        }
        output.cubin.resize(size);
        check("nvrtcGetCUBIN", entries.cubin(handle, reinterpret_cast<char*>(output.cubin.data())),
              options, output.log);
        output.cubin = without_unused_data(std::move(output.cubin), read_ptx());
        // The first compilation makes objects of NVRTC that exit() destroys.
        static std::atomic<bool> has_compiled = false;
        if (!has_compiled.exchange(true)) end_queues_at_exit();
        return output;
    }

  private:
    nvrtc_entries const& entries;
    std::string name;
    nvrtc_entries::program handle = nullptr;

    std::string message_of(result status) const {
        char const* const message = entries.error_string(status);
        if (message != nullptr) return message;
        return "NVRTC error " + std::to_string(static_cast<unsigned>(status));
    }
    // The error of a failed step. Its reason ends with the options, on a line of their own.
    error failure(char const* tried, std::string reason, std::vector<std::string> const& options,
                  std::string const& log) const {
        if (!options.empty()) reason += "\noptions: " + joined(options);
        return error(error_kind::tool_failed, tried, name, std::move(reason), log);
    }
    // Throws if a call failed; the error tells the options and the log.
    void check(char const* tried, result status, std::vector<std::string> const& options = {},
               std::string const& log = {}) const {
        if (status != result::success) throw failure(tried, message_of(status), options, log);
    }
    // The text from which the cubin was made; empty if there is none, which costs bytes alone.
    std::string read_ptx() const {
        std::size_t size = 0;
        if (entries.ptx_size(handle, &size) != result::success) return {};
        std::string ptx(size, '\0');
        return entries.ptx(handle, ptx.data()) == result::success ? ptx : std::string();
    }
    // Reads the log. Returns why there is no log, as the end of a sentence; empty if it was read.
    std::string read_log(std::string& log) const {
        std::size_t size = 0;
        auto status = entries.log_size(handle, &size);
        if (status != result::success) {
            return "; its log: nvrtcGetProgramLogSize: " + message_of(status);
        }
        log.resize(size);
        if (size > 0) status = entries.log(handle, log.data());
        if (status != result::success) log.clear();
        // The size that NVRTC reports includes the zero at the end.
        while (!log.empty() && log.back() == '\0') log.pop_back();
        if (status == result::success) return {};
        return "; its log: nvrtcGetProgramLog: " + message_of(status);
    }
};

} // namespace

nvrtc::nvrtc(nvrtc_entries const& functions, std::string build_id)
    : entries(functions), build(std::move(build_id)) {
    ask_version();
}

nvrtc::nvrtc(std::filesystem::path const& path) { open(path); }

nvrtc::nvrtc() {
    std::vector<std::filesystem::path> unusable;
    for (std::string failures;;) {
        auto const search = find_nvrtc_file(unusable);
        if (!search.found) refuse_nvrtc(search.refusals, failures);
        try {
            open(search.found->path);
            return;
        } catch (error const& failure) {
            failures += std::string("\n") + failure.what();
            unusable.push_back(search.found->path);
        }
    }
}

void nvrtc::open(std::filesystem::path const& path) {
    auto const library = open_nvrtc(path);
    // It has objects that exit() destroys, and a background thread may compile then.
    end_queues_at_exit();
    auto const find = [&](auto& function, char const* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
            dlsym(library.handle, name));
        if (function == nullptr) {
            throw error(error_kind::no_compiler, "dlsym", library.path.string(),
                        std::string("no ") + name);
        }
    };
    find(entries.version, "nvrtcVersion");
    find(entries.error_string, "nvrtcGetErrorString");
    find(entries.create_program, "nvrtcCreateProgram");
    find(entries.destroy_program, "nvrtcDestroyProgram");
    find(entries.compile_program, "nvrtcCompileProgram");
    find(entries.cubin_size, "nvrtcGetCUBINSize");
    find(entries.cubin, "nvrtcGetCUBIN");
    find(entries.ptx_size, "nvrtcGetPTXSize");
    find(entries.ptx, "nvrtcGetPTX");
    find(entries.log_size, "nvrtcGetProgramLogSize");
    find(entries.log, "nvrtcGetProgramLog");
    file = library.path;
    build = library.build_id;
    ask_version();
}

void nvrtc::ask_version() {
    auto const status = entries.version(&major_version, &minor_version);
    auto const subject = file.empty() ? "NVRTC" : file.string();
    if (status != result::success) {
        char const* const message = entries.error_string(status);
        throw error(error_kind::tool_failed, "nvrtcVersion", subject,
                    message != nullptr ? message : "no reason given");
    }
    if (major_version < least_major) {
        throw error(error_kind::no_compiler, "nvrtcVersion", subject,
                    "it is " + std::to_string(major_version) + "." + std::to_string(minor_version) +
                        ", and at least " + std::to_string(least_major) + ".0 is needed");
    }
}

compiled nvrtc::compile(source const& source, std::vector<std::string> const& options) const {
    compilation_slot const slot(source.name);
    compiled output;
    call_on_deep_stack(source.name, [&] { output = program(entries, source).compile(options); });
    return output;
}

} // namespace spio::jit
