// Runs programs under a guard: a process that ends them when the one that asked for them has died.
// SPDX-License-Identifier: Apache-2.0
//
// run() starts a guard, which starts the program and waits for it. Three pipes connect them:
// `output` brings what the program prints, `status` how it ended, and `life` is closed by the
// operating system when the process of run() dies; then the guard kills the program and all that it
// has started. A temporary folder is removed by a process that waits in the same way.
module;

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

module spio.system;

import spio.error;

namespace spio {

namespace fs = std::filesystem;

namespace {

// Both ends of a pipe, which programs that start meanwhile do not inherit.
struct pipe_ends {
    int output = -1, input = -1;

    explicit pipe_ends(std::string const& subject) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            throw error(error_kind::io, "pipe2", subject, std::generic_category().message(errno));
        }
        output = away_from_standard(ends[0]);
        input = away_from_standard(ends[1]);
    }
    // Moves a descriptor above those of the standard files: in a program that has closed them,
    // their numbers are free.
    static int away_from_standard(int file) {
        if (file > STDERR_FILENO) return file;
        int const moved = ::fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        ::close(file);
        return moved;
    }
    pipe_ends(pipe_ends const&) = delete;
    ~pipe_ends() {
        close_input();
        if (output >= 0) ::close(output);
    }
    void close_input() {
        if (input >= 0) ::close(std::exchange(input, -1));
    }
    std::string read_all() const {
        std::string text;
        std::array<char, 4096> part;
        for (;;) {
            auto const count = ::read(output, part.data(), part.size());
            if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
            if (count == 0 || (count < 0 && errno != EINTR)) return text;
        }
    }
};

// How a program ended, or the errno for which it did not start.
struct ending {
    int start_error = 0;
    int wait_status = 0;
};

// All that the guard process needs, made before the fork: after it, the guard may call only
// functions that are safe in signal handlers. `life` is the end of a pipe that can be read as soon
// as the process that called run() has died.
struct guarded_program {
    char const* file;
    char* const* arguments;
    char* const* environment;
    char const* folder;
    // Descriptors. `folder_life` is that of the temporary folder, or -1 if there is none.
    int life, output, status, folder_life;
};

// Closes all descriptors that this process inherited, except the standard files and `open_files`.
void close_others(std::initializer_list<int> open_files) {
    int next = STDERR_FILENO + 1;
    for (int const file : open_files) { // in rising order
        if (file > next) ::syscall(SYS_close_range, next, file - 1, 0);
        next = file < next ? next : file + 1;
    }
    ::syscall(SYS_close_range, next, ~0U, 0);
}

// Undoes what this process inherited: a program that ignores a signal has children that ignore it.
void use_default_signals() {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int const number : {SIGCHLD, SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        ::signal(number, SIG_DFL);
    }
}

// Turns this process, a child of the guard, into the program.
[[noreturn]] void become(guarded_program const& program) {
    ::setpgid(0, 0);
    use_default_signals();
    int const null_device = ::open("/dev/null", O_RDONLY);
    bool const is_ready = null_device >= 0 && ::dup2(null_device, STDIN_FILENO) >= 0 &&
                          ::dup2(program.output, STDOUT_FILENO) >= 0 &&
                          ::dup2(program.output, STDERR_FILENO) >= 0 &&
                          ::chdir(program.folder) == 0;
    if (is_ready) ::execve(program.file, program.arguments, program.environment);
    ending const failure = {.start_error = errno};
    [[maybe_unused]] auto const written = ::write(program.status, &failure, sizeof failure);
    ::_exit(127);
}

// Starts the program, waits until it ends or the process that called run() has died, and writes how
// it ended to `status`.
[[noreturn]] void guard(guarded_program const& program) {
    use_default_signals();
    // A handler that does nothing, so that ppoll() is interrupted when the program ends.
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGCHLD, &action, nullptr);
    sigset_t blocked, none;
    ::sigemptyset(&none);
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &blocked, nullptr);

    pid_t const child = ::fork();
    if (child == 0) become(program);
    ending result = {};
    if (child < 0) result.start_error = errno;
    if (child > 0) ::setpgid(child, child); // set by parent and child, since either may run first
    ::close(program.output);
    bool is_ended = child < 0;
    while (!is_ended) {
        auto const ended = ::waitpid(child, &result.wait_status, WNOHANG);
        is_ended = ended == child || (ended < 0 && errno != EINTR);
        if (is_ended) break;
        pollfd watched = {.fd = program.life, .events = 0, .revents = 0};
        if (::ppoll(&watched, 1, nullptr, &none) > 0) {
            if (::kill(-child, SIGKILL) != 0) ::kill(child, SIGKILL);
            ::waitpid(child, &result.wait_status, 0);
            ::_exit(1);
        }
    }
    if (child > 0) ::kill(-child, SIGKILL); // ends what the program left running
    [[maybe_unused]] auto const written = ::write(program.status, &result, sizeof result);
    ::_exit(0);
}

// Calls f() in a new process. Forks twice, so that this process is not a child of the program and
// need not be waited for, whatever the program does with SIGCHLD. Returns false if a fork fails.
template <class F> bool detach(F const& f) {
    pid_t const middle = ::fork();
    if (middle < 0) return false;
    if (middle == 0) {
        ::setsid();
        pid_t const last = ::fork();
        if (last == 0) f();
        ::_exit(last < 0 ? 1 : 0);
    }
    int status = 0;
    while (::waitpid(middle, &status, 0) < 0 && errno == EINTR) continue;
    return status == 0;
}

// The few variables that a program gets, so that no other changes what compilers make.
std::vector<std::string> clean_environment(fs::path const& folder) {
    std::vector<std::string> variables = {"LC_ALL=C", "TMPDIR=."};
    if (folder == "/") variables.back() = "TMPDIR=/tmp";
    for (auto const* name : {"PATH", "HOME", "LD_LIBRARY_PATH"}) {
        auto const value = environment(name);
        if (!value.empty()) variables.push_back(std::string(name) + "=" + value);
    }
    return variables;
}

// The form of a list of texts that execve() takes.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace

int start_remover(std::string const& folder) {
    pipe_ends ends("the guard of " + folder);
    char program[] = "/bin/rm", options[] = "-rf", separator[] = "--";
    std::string path = folder;
    char* const arguments[] = {program, options, separator, path.data(), nullptr};
    char* const environment[] = {nullptr};
    bool const is_started = detach([&] {
        int const life = ends.output;
        close_others({life});
        char byte;
        while (::read(life, &byte, 1) < 0 && errno == EINTR) continue;
        if (::access(path.c_str(), F_OK) == 0) ::execve(program, arguments, environment);
        ::_exit(0);
    });
    if (!is_started) return -1;
    return std::exchange(ends.input, -1);
}

program_result run(std::vector<std::string> const& command, temporary_folder const* owner) {
    auto words = command;
    auto const named = words.at(0).find('/') == std::string::npos ? found_in_path(words[0]).string()
                                                                  : fs::absolute(words[0]).string();
    fs::path const folder = owner != nullptr ? owner->path() : fs::path("/");
    auto variables = clean_environment(folder);
    auto const arguments = pointers_to(words), environment_pointers = pointers_to(variables);

    pipe_ends life(words[0]), output(words[0]), status(words[0]);
    guarded_program const program = {.file = named.c_str(),
                                     .arguments = arguments.data(),
                                     .environment = environment_pointers.data(),
                                     .folder = folder.c_str(),
                                     .life = life.output,
                                     .output = output.input,
                                     .status = status.input,
                                     .folder_life =
                                         owner != nullptr ? owner->keep_alive_descriptor() : -1};
    std::array<int, 4> open_files = {program.life, program.output, program.status,
                                     program.folder_life};
    std::ranges::sort(open_files);
    if (!detach([&] {
            close_others({open_files[0], open_files[1], open_files[2], open_files[3]});
            guard(program);
        })) {
        throw error(error_kind::io, "start", words[0], "fork: no process can be made");
    }
    output.close_input();
    status.close_input();
    program_result result = {.status = 0, .output = output.read_all()};

    ending ended = {};
    auto const told = status.read_all();
    if (told.size() < sizeof ended) {
        throw error(error_kind::internal, "wait", words[0], "its guard was killed");
    }
    std::memcpy(&ended, told.data(), sizeof ended);
    if (ended.start_error != 0) {
        throw error(ended.start_error == ENOENT ? error_kind::not_found : error_kind::io, "start",
                    words[0], std::generic_category().message(ended.start_error));
    }
    result.status = WIFEXITED(ended.wait_status) ? WEXITSTATUS(ended.wait_status)
                                                 : 128 + WTERMSIG(ended.wait_status);
    return result;
}

fs::path found_in_path(std::string_view name) {
    auto const path = environment("PATH");
    std::string_view rest = path;
    while (!rest.empty()) {
        auto const end = std::min(rest.find(':'), rest.size());
        auto const file = fs::path(rest.substr(0, end)) / name;
        rest.remove_prefix(std::min(end + 1, rest.size()));
        std::error_code ignored;
        if (file.is_absolute() && ::access(file.c_str(), X_OK) == 0 &&
            !fs::is_directory(file, ignored)) {
            return file;
        }
    }
    return {};
}

std::string joined(std::vector<std::string> const& command) {
    std::string line;
    for (auto const& word : command) line += (line.empty() ? "" : " ") + word;
    return line;
}

} // namespace spio
