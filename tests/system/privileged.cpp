// A set-group-ID program that another user starts must see no variable of its caller.
// SPDX-License-Identifier: Apache-2.0
//
// Such a program has more rights than who starts it, so that a variable such as PATH must not
// choose what it runs. Started as root, the program makes a copy of itself that belongs to another
// group and starts that copy as another user.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <grp.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

import spio.system;

namespace fs = std::filesystem;

// The leak sanitizer traces its own process, which a set-group-ID program does not allow.
extern "C" char const* __asan_default_options() { return "detect_leaks=0"; }

namespace {

constexpr int skipped = 77;          // the exit status of a test that CTest counts as skipped
constexpr unsigned stranger = 12345; // the program's group; its user has the next number

// 0 if nothing of the environment is seen, 1 if something is, `skipped` if the program has no more
// rights than who started it.
int look() {
    if (getauxval(AT_SECURE) == 0) return skipped; // the file system has no such programs
    bool is_blind = spio::environment("SPIO_NVRTC").empty() && spio::found_in_path("sh").empty();
    for (auto const& folders : {spio::cuda_folders(), spio::nvrtc_folders()}) {
        for (auto const& folder : folders) {
            is_blind = is_blind && !folder.string().starts_with("/chosen");
        }
    }
    is_blind = is_blind && spio::operating_system().environment("SPIO_CACHE_DIR") == nullptr;
    return is_blind ? 0 : 1;
}

} // namespace

int main(int count, char** arguments) {
    if (count > 1) return look();
    if (geteuid() != 0) return skipped;
    std::string name = "/tmp/spio_privileged_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) return 1;
    auto const program = name + "/program";
    fs::copy_file("/proc/self/exe", program);
    bool const is_ready = chmod(name.c_str(), 0755) == 0 &&
                          chown(program.c_str(), 0, stranger) == 0 &&
                          chmod(program.c_str(), 02755) == 0;
    pid_t const child = fork();
    if (child == 0) {
        char const* const variables[] = {"SPIO_NVRTC",  "CUDA_HOME",    "CUDA_PATH",
                                         "VIRTUAL_ENV", "CONDA_PREFIX", "SPIO_CACHE_DIR"};
        for (auto const* variable : variables) setenv(variable, "/chosen", 1);
        bool const is_other =
            setgroups(0, nullptr) == 0 && setgid(stranger + 1) == 0 && setuid(stranger + 1) == 0;
        if (is_other) execl(program.c_str(), arguments[0], "look", nullptr);
        _exit(2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    fs::remove_all(name);
    int const result = is_ready && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    char const* const outcome = result == 0         ? "nothing is seen"
                                : result == skipped ? "not tested"
                                                    : "failed";
    std::printf("summary: system.privileged: %s\n", outcome);
    return result;
}
