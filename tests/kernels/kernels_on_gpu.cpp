// Runs every case on a GPU with each folder of images, and compares with the host device:
// SPDX-License-Identifier: Apache-2.0
//
//     kernels_on_gpu IMAGES [NAME...] [--images COMPILER-ARCH] [--small] [--no-host] [--bare]
//     [--planted TOOL]
//
// IMAGES holds folders COMPILER-ARCH; --images takes one of them. With --no-host results are
// compared with those in double alone, not with the host device's. --small and --bare are for
// compute-sanitizer: small sizes; and memory without guards or poison, and no host device.
// --planted runs the kernel with a bug that this tool of compute-sanitizer must find.
//
// An image is a compiled file of kernels: a cubin or PTX text. Poison is the bytes 0xff that new
// memory is full of; guards are other bytes (0xa5) around each array, which no kernel may change.
#include "gpu.h"
#include "host.h"
#include "planted_bugs.h"
#include "run.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>

namespace {

using namespace spio::test;

// What the command line asks for; an empty list of names means all cases.
struct request {
    std::filesystem::path images;
    std::vector<std::string> names;
    std::string only_images;
    std::string planted;
    effort spent = effort::all;
    bool is_bare = false;
    bool has_host = true;
};

// Reads the command line.
request parse(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    request r;
    if (std::erase(words, "--small") > 0) r.spent = effort::small;
    r.is_bare = std::erase(words, "--bare") > 0;
    r.has_host = std::erase(words, "--no-host") == 0 && !r.is_bare;
    for (auto const& [flag, value] :
         {std::pair{"--images", &r.only_images}, std::pair{"--planted", &r.planted}}) {
        auto const argument = std::ranges::find(words, flag);
        if (argument == words.end()) continue;
        if (argument + 1 == words.end()) throw failure(std::string(flag) + " needs a value");
        *value = argument[1];
        words.erase(argument, argument + 2);
    }
    if (words.empty()) throw failure("name a folder of images");
    r.images = words.front();
    r.names.assign(words.begin() + 1, words.end());
    return r;
}

// Opens the folders of images: all of them, or the one that is asked for. With prints_skipped,
// prints those whose code does not run on this GPU.
std::vector<std::unique_ptr<gpu_device>> open_images(request const& asked, gpu const& gpu,
                                                     bool prints_skipped) {
    std::vector<std::filesystem::path> folders;
    for (auto const& entry : std::filesystem::directory_iterator(asked.images)) {
        if (!entry.is_directory()) continue;
        if (asked.only_images.empty() || entry.path().filename() == asked.only_images) {
            folders.push_back(entry.path());
        }
    }
    std::ranges::sort(folders);
    std::vector<std::unique_ptr<gpu_device>> devices;
    for (auto const& folder : folders) {
        auto images = std::make_unique<gpu_device>(
            gpu, folder, asked.is_bare ? memory_kind::bare : memory_kind::guarded);
        if (images->can_run()) {
            devices.push_back(std::move(images));
        } else if (prints_skipped) {
            std::printf("skip %s: its code does not run on this GPU\n", images->name().c_str());
        }
    }
    if (devices.empty()) throw failure("no images that run here in " + asked.images.string());
    return devices;
}

// Prints which GPU and driver there are.
void describe(gpu const& gpu) {
    std::printf("GPU: %s, compute capability %d.%d, driver for CUDA %d.%d\n", gpu.name().c_str(),
                gpu.arch() / 10, gpu.arch() % 10, gpu.driver_version() / 1000,
                gpu.driver_version() % 1000 / 10);
}

// The number of runs and of those that failed, over all images.
struct tally {
    int runs = 0;
    int failed = 0;
};

// Runs a case on the host device and with each folder of images, and compares the outputs.
void run_everywhere(test_case const& test, request const& asked,
                    std::vector<std::unique_ptr<gpu_device>> const& devices, tally& sum) {
    std::optional<outcome> expected;
    if (asked.has_host) {
        host_device host;
        expected = run_on(host, test, asked.spent);
        print(test, host.name(), *expected);
        ++sum.runs;
        sum.failed += expected->failed > 0;
    }
    for (auto const& device : devices) {
        if (device->arch() < test.arch) continue;
        auto found = run_on(*device, test, asked.spent);
        if (expected) found.compare(*expected, "on the host");
        print(test, device->name(), found);
        ++sum.runs;
        sum.failed += found.failed > 0;
    }
}

// Runs a test in this process, on the GPU and, if asked, on the host device.
void run_here(request const& asked, test_case const& test, bool is_first, tally& sum) {
    gpu const gpu;
    if (is_first) describe(gpu);
    auto const devices = open_images(asked, gpu, is_first);
    run_everywhere(test, asked, devices, sum);
}

// In a process of its own: a kernel that crashes takes its context along, and no case after it.
void run_apart(request const& asked, test_case const& test, bool is_first, tally& sum) {
    std::fflush(stdout);
    pid_t const child = fork();
    if (child == 0) {
        try {
            run_here(asked, test, is_first, sum);
        } catch (std::exception const& stopped) {
            std::printf("FAIL %s: %s\n", test.name.c_str(), stopped.what());
            ++sum.runs;
            ++sum.failed;
        }
        std::fflush(stdout);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        std::printf("FAIL %s: its process ended with status %d\n", test.name.c_str(), status);
        ++sum.runs;
        ++sum.failed;
    }
}

// Runs a planted bug, or the cases; returns the status of the program.
int run(request const& asked) {
    if (!asked.planted.empty()) {
        gpu const gpu;
        describe(gpu);
        for (auto const& device : open_images(asked, gpu, /*prints_skipped=*/true))
            run_planted(*device, asked.planted);
        std::printf("ran what is planted for %s\n", asked.planted.c_str());
        return 0;
    }
    void* const shared =
        mmap(nullptr, sizeof(tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw failure("no memory to count in");
    tally& sum = *new (shared) tally;
    bool is_first = true;
    for (auto const* each : test_case::all()) {
        if (!asked.names.empty() && std::ranges::find(asked.names, each->name) == asked.names.end())
            continue;
        // compute-sanitizer watches this process alone.
        (asked.is_bare ? run_here : run_apart)(asked, *each, is_first, sum);
        is_first = false;
    }
    std::printf("summary: kernels on the GPU: %d of %d runs pass\n", sum.runs - sum.failed,
                sum.runs);
    return sum.failed > 0 || sum.runs == 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(parse(argc, argv));
    } catch (std::exception const& stopped) {
        std::fprintf(stderr, "kernels_on_gpu: %s\n", stopped.what());
        return 2;
    }
}
