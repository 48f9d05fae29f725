// Calls NVRTC on a thread of its own.
// SPDX-License-Identifier: Apache-2.0
//
// NVRTC recurses deeply and looks into the working directory. On this thread it has a stack for
// that, a directory without headers, and no signals; the caller waits for it.
module;

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <string>

module spio.jit;

import spio.spec;

namespace spio::jit {

namespace {

// NVRTC recurses as deep as the nesting of its input. With its default option it would raise the
// stack limit of the whole process.
constexpr std::size_t stack_bytes = std::size_t{64} << 20;

// NVRTC looks up even the headers that it is given in memory in the file system, and takes two of
// them for one if their names lead to the same file. So the compiling thread alone changes to a
// folder without such files. Where the system forbids that, a working directory that has such files
// makes the compilation fail.
void leave_working_directory() {
    if (unshare(CLONE_FS) != 0) return;
    if (chdir("/proc") != 0 && chdir("/") != 0) return;
}

} // namespace

void call_on_deep_stack(std::string const& subject, std::function<void()> const& function) {
    struct work {
        std::function<void()> const& function;
        std::exception_ptr failure;
    } work{function, nullptr};
    auto const run = [](void* argument) -> void* {
        auto& task = *static_cast<struct work*>(argument);
        leave_working_directory();
        try {
            task.function();
        } catch (...) {
            task.failure = std::current_exception();
        }
        return nullptr;
    };

    sigset_t all_signals, previous;
    sigfillset(&all_signals);
    pthread_attr_t attributes;
    pthread_t thread;
    int failed = pthread_attr_init(&attributes);
    if (failed == 0) {
        failed = pthread_attr_setstacksize(&attributes, stack_bytes);
        if (failed == 0) {
            pthread_sigmask(SIG_SETMASK, &all_signals, &previous);
            failed = pthread_create(&thread, &attributes, run, &work);
            pthread_sigmask(SIG_SETMASK, &previous, nullptr);
        }
        pthread_attr_destroy(&attributes);
    }
    if (failed != 0) throw error(error_kind::io, "pthread_create", subject, std::strerror(failed));
    pthread_join(thread, nullptr);
    if (work.failure) std::rethrow_exception(work.failure);
}

} // namespace spio::jit
