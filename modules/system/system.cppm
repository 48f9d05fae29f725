// What Spio asks of Linux: calls, trusted folders and files, programs, threads, and where CUDA is.
// SPDX-License-Identifier: Apache-2.0
//
// Spio compiles, loads and runs files, so that a file which another user could have written would
// be run with this user's rights. By the rule of trust, a file or folder is used only if nobody but
// the user and root could have put it there; that includes the folders above it.
module;

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

export module spio.system;

export import :threads;

namespace spio {

// Starts a process that removes the folder, if it still exists, when every copy of the returned
// descriptor has been closed. Returns -1 if no process can be started.
int start_remover(std::string const& folder);

} // namespace spio

export namespace spio {

// Each call is one virtual function, so that a test can fail any of them. The functions are named
// after the calls, and like them they return -1 and set errno.
class system_calls {
  public:
    virtual ~system_calls() = default;

    virtual int openat(int folder, char const* name, int flags, mode_t mode);
    virtual int close(int file);
    virtual ssize_t read(int file, void* destination, std::size_t size);
    virtual ssize_t write(int file, void const* source, std::size_t size);
    virtual int fsync(int file);
    virtual int fstat(int file, struct stat& status);
    // Does not follow a symbolic link.
    virtual int fstatat(int folder, char const* name, struct stat& status);
    // The POSIX access-control list of an open file or folder, as the kernel stores it.
    virtual ssize_t access_list(int file, void* list, std::size_t size);
    virtual bool may_write(int folder); // if not, errno says why
    virtual int mkdirat(int folder, char const* name, mode_t mode);
    virtual int linkat(int folder, char const* source, char const* destination);
    virtual int renameat(int folder, char const* source, char const* destination);
    virtual int unlinkat(int folder, char const* name, int flags);
    virtual int futimens(int file); // sets both times to now
    virtual ssize_t readlinkat(int folder, char const* name, char* target, std::size_t size);
    virtual int list(int folder, std::vector<std::string>& names);
    // Locks one byte of a file without waiting. The open file holds the lock, not the process.
    virtual int lock(int file, std::int64_t byte);
    virtual int unlock(int file, std::int64_t byte);

    // nullptr if the variable is not set, or if the program has more rights than its caller.
    virtual char const* environment(char const* name);
    virtual uid_t user();
    // Whether no user but the owner, who is not root, is in the group.
    virtual bool is_private(gid_t group, uid_t owner);
    virtual pid_t process();
    virtual timespec now();
    virtual void sleep(int milliseconds);
};

// The calls of the operating system.
system_calls& operating_system();

// A variable of the environment, empty if it is not set or the program has more rights than its
// caller. All of Spio reads the environment by this function.
std::string environment(char const* name);

// What a switch says: on, 1, true and yes, or off, 0, false and no, in upper or lower case. Nothing
// for any other text.
std::optional<bool> parse_switch(std::string_view text);
// Whether a switch in the environment is on; the default if it is not set or empty. Throws if its
// value is no switch.
bool is_on(char const* variable, bool default_value);

// Answers system_calls::is_private() from two files in the format of /etc/passwd and /etc/group. A
// group is private if it is the primary group of the owner and of nobody else, is named like the
// owner, and lists no other member. None is for root, nor for an owner that `users` does not list.
bool is_private_group(gid_t group, uid_t owner, char const* users = "/etc/passwd",
                      char const* groups = "/etc/group");

// The rule of trust for an open file or folder. Returns who, besides its owner and root, can write
// there, such as "everyone", "group staff (gid 50)" or "user eve (uid 1001)"; empty if nobody can.
std::string other_writer(system_calls&, int file, struct stat const& status);

// A folder that nobody else can write to, open; or the reason why there is none. Every folder above
// it, and every symbolic link on the way, belongs to the user or to root, and nobody else can write
// there. A folder with the sticky bit, such as /tmp, may lie above a folder that exists.
class folder {
  public:
    // `owned` is made where it is missing, with all folders above it, for the user only.
    // `existing` must belong to the user too, but is not made. `shared` may belong to root.
    enum class use { owned, existing, shared };

    folder() = default;
    folder(system_calls&, std::string path, use);

    folder(folder&&) noexcept;
    folder& operator=(folder&&) noexcept;
    ~folder();

    explicit operator bool() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    std::string const& path() const { return path_; }
    std::string const& refusal() const { return refusal_; } // a sentence, if there is no folder
    // Whether an `existing` folder would be made if it were `owned`.
    bool is_missing() const { return is_missing_; }
    // A value without a folder, with the reason.
    static folder refused(std::string reason);

  private:
    system_calls* system_ = nullptr;
    int descriptor_ = -1;
    bool is_missing_ = false;
    std::string path_, refusal_;
};

// A regular file that nobody else could have written, open for reading; or the reason why it must
// not be used. The folders above it and links on the way are held to the same rule as a folder's.
class trusted_file {
  public:
    // Nobody else may put files beside `code` either: compilers, loaders and programs take what
    // lies beside a file. `data` is read alone, and may lie in a folder such as /tmp.
    enum class use { code, data };

    trusted_file(std::filesystem::path const&, use, system_calls& = operating_system());
    trusted_file(trusted_file const&) = delete;
    ~trusted_file();

    explicit operator bool() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    std::uint64_t size() const { return size_; }
    // Without symbolic links.
    std::filesystem::path const& path() const { return path_; }
    std::string read() const;                               // all of it; throws what went wrong
    std::string const& refusal() const { return refusal_; } // "/a/b can be written to by others: …"
    bool is_missing() const { return is_missing_; }

  private:
    system_calls& system_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
    bool is_missing_ = false;
    std::filesystem::path path_;
    std::string refusal_;
};

// The lock of one byte of a file, held for other processes and other threads to wait for, until the
// destructor. A process that is forked meanwhile does not hold it, nor one that is forked while the
// lock is waited for.
class file_lock {
  public:
    enum class state { none, held, not_opened, no_locks, busy };

    file_lock() = default;
    // Opens the file, which is made for the user only if it is missing, and waits until no other
    // lock has the byte, or so many milliseconds. Without success there is no open file left:
    // `not_opened` (errno says why), `no_locks` (in this file system, for example) or `busy`.
    file_lock(system_calls&, int folder, char const* name, std::int64_t byte,
              std::int64_t most_milliseconds);
    file_lock(file_lock&& other) noexcept;
    file_lock& operator=(file_lock&&) = delete;
    ~file_lock();

    state reached() const { return state_; }
    explicit operator bool() const { return state_ == state::held; }

  private:
    system_calls* system_ = nullptr;
    int file_ = -1;
    std::int64_t byte_ = 0;
    std::uint64_t forks_ = 0; // fork_count() when the file was opened
    state state_ = state::none;

    void close();
};

// The reason not to compile, load or run a file, which names it; empty if there is none.
std::string distrust(std::filesystem::path const& file);

// Reads a regular file of at most `most_bytes` bytes; throws if it is something else. Never waits
// for a pipe.
std::string read_file(std::filesystem::path const&, std::uint64_t most_bytes = 1 << 30);
// Writes a file whole or not at all, over a regular file or where there is none: under a random
// name beside it, exclusively, synced, then renamed. A file that has these bytes is left as it is,
// unless more users can write it than the mode allows. The mode is less what the umask takes away.
void write_file(std::filesystem::path const&, std::string_view bytes, mode_t mode = 0666);
// The mode of a file that a trusted_file will read: a group may have other members.
constexpr mode_t trusted_mode = 0644;

// A new folder that only the user can enter. It is removed with all that is in it by the
// destructor, and also after the process was killed, when the last program that run_in() started
// has ended.
class temporary_folder {
  public:
    // Makes the folder in `parent`, or else in TMPDIR, or else in /tmp. The prefix makes its name
    // readable.
    explicit temporary_folder(std::string const& prefix, std::filesystem::path parent = {});
    temporary_folder(temporary_folder const&) = delete;
    ~temporary_folder();

    std::filesystem::path const& path() const { return path_; }
    // While any process holds this descriptor, the folder stays.
    int keep_alive_descriptor() const { return keep_alive_descriptor_; }

  private:
    std::filesystem::path path_;
    int keep_alive_descriptor_ = -1;
};

struct program_result {
    int status = 0;     // 0 is success; 128 and the signal if a signal ended the program
    std::string output; // of stdout and stderr
};

// Runs a program to its end without a shell, in a process group of its own, with the temporary
// folder (or else the root) as its working directory and as TMPDIR. If this process dies, the whole
// group is killed. The environment has PATH, HOME, LD_LIBRARY_PATH and LC_ALL=C alone, so that no
// variable changes what compilers make. Works in programs that ignore SIGCHLD.
program_result run(std::vector<std::string> const& command, temporary_folder const* = nullptr);

// The program with this name in PATH; empty if there is none.
std::filesystem::path found_in_path(std::string_view name);

// A command as one line, for messages.
std::string joined(std::vector<std::string> const& command);

// The length in bytes of the UTF-8 character at the front of a text; 0 if there is no valid one.
std::size_t character_bytes(std::string_view text);
// The text with each byte that could control a terminal, or that is not valid UTF-8, written as an
// escape such as \x1b. Newlines and tabs stay.
std::string printable(std::string_view text);

// The folders that may hold CUDA, first the one to prefer: those that CUDA_HOME and CUDA_PATH name,
// the one that has the nvcc of PATH, /usr/local/cuda, and pip's wheels in the Python environments
// that VIRTUAL_ENV and CONDA_PREFIX name. Absolute paths alone; a folder need not exist.
// cmake/find_cuda.cmake is its twin for build systems.
std::vector<std::filesystem::path> cuda_folders();

// The folders that may hold libnvrtc.so, first the one to prefer: lib64, lib and targets/*/lib of
// cuda_folders(), lib of the Python environments, those of LD_LIBRARY_PATH, and the system's.
std::vector<std::filesystem::path> nvrtc_folders();

// The variables that the two functions above read, for messages and for `spio doctor`.
struct variable {
    std::string_view name, meaning;
};
std::vector<variable> toolchain_variables();

enum class compiler_kind { nvcc, clang, nvrtc };
std::string_view name_of(compiler_kind);

// The options for compiling kernel text, architecture included, in order. NVRTC and nvcc get the
// same options, as far as both have them. Files, include folders and the optimization level are not
// among them.
//     compiler_options(compiler_kind::nvcc, "sm_90a")
std::vector<std::string> compiler_options(compiler_kind, std::string_view arch);

// SHA-256, as FIPS 180-4 defines it.
using byte_view = std::span<unsigned char const>;
using sha256_digest = std::array<unsigned char, 32>;

class sha256 {
  public:
    void update(byte_view bytes);
    void update(std::string_view text);
    sha256_digest finish(); // no update() may follow

  private:
    void compress(unsigned char const* block);

    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> block_ = {};
    std::size_t block_bytes_ = 0; // bytes in the block that is not full yet
    std::uint64_t total_ = 0;
};

sha256_digest sha256_of(byte_view bytes);

// Two digits for each byte, in lower case.
std::string hexadecimal(byte_view bytes);

} // namespace spio
