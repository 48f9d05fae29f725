// Starts programs, and listens to them.
// SPDX-License-Identifier: Apache-2.0
module;

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

module spio.aot;

import spio.spec;
import :process;

extern "C" char** environ;

namespace spio::aot {

namespace {

namespace fs = std::filesystem;

struct pipe_ends {
    int out = -1, in = -1;

    pipe_ends() {
        int ends[2];
        // Other programs that start meanwhile must not hold them open.
        if (pipe2(ends, O_CLOEXEC) != 0)
            throw error(error_kind::io, "pipe2", "a program", std::strerror(errno));
        out = ends[0];
        in = ends[1];
    }
    pipe_ends(pipe_ends const&) = delete;
    ~pipe_ends() {
        close_in();
        close(out);
    }
    void close_in() {
        if (in >= 0) close(in);
        in = -1;
    }
    std::string read_all() const {
        std::string all;
        std::array<char, 4096> part;
        for (;;) {
            auto const count = read(out, part.data(), part.size());
            if (count > 0) all.append(part.data(), static_cast<std::size_t>(count));
            if (count == 0 || (count < 0 && errno != EINTR)) return all;
        }
    }
};

// What is done to a program's files before it runs.
struct file_actions {
    posix_spawn_file_actions_t all;
    file_actions() { posix_spawn_file_actions_init(&all); }
    file_actions(file_actions const&) = delete;
    ~file_actions() { posix_spawn_file_actions_destroy(&all); }
};

} // namespace

outcome run(std::vector<std::string> const& words) {
    std::vector<std::string> own = words;
    std::vector<char*> arguments;
    for (auto& word : own) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    pipe_ends ends;
    file_actions files;
    posix_spawn_file_actions_addopen(&files.all, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files.all, ends.in, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files.all, ends.in, STDERR_FILENO);
    pid_t id = 0;
    int const failed =
        posix_spawnp(&id, arguments[0], &files.all, nullptr, arguments.data(), environ);
    if (failed != 0) throw error(error_kind::tool_failed, "start", words[0], std::strerror(failed));
    ends.close_in();
    outcome is = {0, ends.read_all()};
    int status = 0;
    while (waitpid(id, &status, 0) < 0) {
        if (errno != EINTR) throw error(error_kind::io, "wait", words[0], std::strerror(errno));
    }
    is.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return is;
}

fs::path found_in_path(std::string_view name) {
    char const* const all = std::getenv("PATH");
    std::string_view left = all == nullptr ? "" : all;
    while (!left.empty()) {
        auto const end = std::min(left.find(':'), left.size());
        auto const file = fs::path(left.substr(0, end)) / name;
        left.remove_prefix(std::min(end + 1, left.size()));
        if (access(file.c_str(), X_OK) == 0 && !fs::is_directory(file)) return file;
    }
    return {};
}

std::string spelled(std::vector<std::string> const& words) {
    std::string line;
    for (auto const& word : words) line += (line.empty() ? "" : " ") + word;
    return line;
}

} // namespace spio::aot
