// Compiles one CUDA file with NVRTC, as nvcc would on a command line.
// SPDX-License-Identifier: Apache-2.0
//
//     nvrtc_compile LIBNVRTC FILE [--ptx OUT] [--cubin OUT] [--time RUNS] [OPTION...] [@OPTIONS...]
//
// Every other argument goes to NVRTC, and so does each line of the file OPTIONS. The log is
// printed; the exit code is 1 when the file is refused and 2 when NVRTC itself cannot be used.
// --time prints the least milliseconds of RUNS.
#include <dlfcn.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

[[noreturn]] void stop(std::string const& reason) {
    std::cerr << "nvrtc_compile: " << reason << '\n';
    std::exit(2);
}

// The functions of NVRTC, declared here so that no header of CUDA is needed to build this tool.
struct nvrtc {
    using program = struct opaque*;
    void* library;
    int (*create)(program*, char const*, char const*, int, char const* const*, char const* const*);
    int (*compile)(program, int, char const* const*);
    int (*log_size)(program, std::size_t*);
    int (*log)(program, char*);
    int (*ptx_size)(program, std::size_t*);
    int (*ptx)(program, char*);
    int (*cubin_size)(program, std::size_t*);
    int (*cubin)(program, char*);
    int (*destroy)(program*);

    explicit nvrtc(char const* path) : library(dlopen(path, RTLD_NOW)) {
        if (!library) stop(std::string("cannot open NVRTC: ") + dlerror());
        open_builtins(path);
        find(create, "nvrtcCreateProgram");
        find(compile, "nvrtcCompileProgram");
        find(log_size, "nvrtcGetProgramLogSize");
        find(log, "nvrtcGetProgramLog");
        find(ptx_size, "nvrtcGetPTXSize");
        find(ptx, "nvrtcGetPTX");
        find(cubin_size, "nvrtcGetCUBINSize");
        find(cubin, "nvrtcGetCUBIN");
        find(destroy, "nvrtcDestroyProgram");
    }

  private:
    // NVRTC opens its builtins by name, and finds those of pip's wheels only if they are open
    // already.
    static void open_builtins(std::filesystem::path const& library) {
        if (!library.has_parent_path()) return;
        for (auto const& file : std::filesystem::directory_iterator(library.parent_path())) {
            if (file.path().filename().string().starts_with("libnvrtc-builtins.so"))
                dlopen(file.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
        }
    }

    // Sets the pointer to the library's function of this name.
    template <class Function> void find(Function& function, char const* name) {
        function = reinterpret_cast<Function>(dlsym(library, name));
        if (!function) stop(std::string("NVRTC has no ") + name);
    }
};

// What the command line asks for.
struct request {
    std::string file, ptx, cubin; // to compile, and to write if they are not empty
    int runs = 0;                 // that are timed
    std::vector<std::string> options;
};

request parse(int argc, char** argv) {
    if (argc < 3) stop("usage: LIBNVRTC FILE [--ptx OUT] [--cubin OUT] [--time RUNS] [OPTION...]");
    request r{.file = argv[2], .ptx = {}, .cubin = {}, .runs = 0, .options = {}};
    for (int i = 3; i < argc; ++i) {
        std::string const word = argv[i];
        bool const is_own = word == "--ptx" || word == "--cubin" || word == "--time";
        if (word.starts_with('@')) {
            std::ifstream file(word.substr(1));
            if (!file) stop("cannot read " + word.substr(1));
            for (std::string line; std::getline(file, line);) r.options.push_back(line);
            continue;
        }
        if (!is_own) {
            r.options.push_back(word);
            continue;
        }
        if (++i == argc) stop(word + " needs a value");
        if (word == "--ptx") r.ptx = argv[i];
        if (word == "--cubin") r.cubin = argv[i];
        if (word == "--time") r.runs = std::atoi(argv[i]);
    }
    return r;
}

// A text of a program, by the functions of NVRTC that give its size and its bytes.
template <class Size, class Get> std::string read(nvrtc::program program, Size size_of, Get get) {
    std::size_t size = 0;
    if (size_of(program, &size) != 0) return {};
    std::string text(size, '\0');
    if (size != 0) get(program, text.data());
    return text;
}

// NVRTC counts the closing zero of its texts.
std::string without_zero(std::string text) {
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
}

void write(std::string const& path, std::string const& bytes) {
    if (!(std::ofstream(path, std::ios::binary) << bytes)) stop("cannot write " + path);
}

} // namespace

int main(int argc, char** argv) {
    // NVRTC is told not to change the limits of the process, and compiles on this thread's stack.
    rlimit limit = {};
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, rlim_t{256} << 20);
        setrlimit(RLIMIT_STACK, &limit);
    }
    request const r = parse(argc, argv);
    std::vector<char const*> options;
    for (auto const& option : r.options) options.push_back(option.c_str());
    nvrtc const api(argv[1]);

    std::ifstream file(r.file);
    if (!file) stop("cannot read " + r.file);
    std::string const source = (std::ostringstream() << file.rdbuf()).str();

    double least = 1e9;
    for (int run = 0; run < std::max(r.runs, 1); ++run) {
        auto const start = std::chrono::steady_clock::now();
        nvrtc::program program = nullptr;
        if (api.create(&program, source.c_str(), r.file.c_str(), 0, nullptr, nullptr) != 0)
            stop("nvrtcCreateProgram failed for " + r.file);
        int const result = api.compile(program, int(options.size()), options.data());
        std::chrono::duration<double, std::milli> const spent =
            std::chrono::steady_clock::now() - start;
        least = std::min(least, spent.count());

        if (run == 0) std::cerr << without_zero(read(program, api.log_size, api.log));
        if (result != 0) return 1;
        if (run == 0 && !r.ptx.empty())
            write(r.ptx, without_zero(read(program, api.ptx_size, api.ptx)));
        if (run == 0 && !r.cubin.empty()) write(r.cubin, read(program, api.cubin_size, api.cubin));
        api.destroy(&program);
    }
    if (r.runs > 0) std::cout << least << " ms\n";
}
