// Runs kernels on a GPU, through the driver.
// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <regex>

namespace spio::test {

namespace {

constexpr unsigned char poison = 0xff;
constexpr unsigned char guard = 0xa5;

driver::address address_of(void const* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

} // namespace

gpu::gpu() {
    driver_.check(driver_.init(0), "cuInit");
    driver_.check(driver_.device_get(&ordinal_, 0), "cuDeviceGet of the first GPU");
    driver::context context = nullptr;
    driver_.check(driver_.context_retain(&context, ordinal_), "cuDevicePrimaryCtxRetain");
    driver_.check(driver_.context_set_current(context), "cuCtxSetCurrent");
    int major = 0;
    int minor = 0;
    driver_.check(driver_.device_attribute(&major, driver::compute_capability_major, ordinal_),
                  "cuDeviceGetAttribute of the compute capability");
    driver_.check(driver_.device_attribute(&minor, driver::compute_capability_minor, ordinal_),
                  "cuDeviceGetAttribute of the compute capability");
    arch_ = 10 * major + minor;
}

std::string gpu::name() const {
    char name[256] = {};
    driver_.check(driver_.device_name(name, sizeof name - 1, ordinal_), "cuDeviceGetName");
    return name;
}

int gpu::driver_version() const {
    int version = 0;
    driver_.check(driver_.driver_version(&version), "cuDriverGetVersion");
    return version;
}

gpu_device::gpu_device(gpu const& on, std::filesystem::path const& images, memory_kind kind)
    : on_(on), api_(on.api()), name_(images.filename().string()), kind_(kind) {
    std::smatch parts;
    if (!std::regex_match(name_, parts, std::regex("[a-z_]+-(sm|compute)_(\\d+)(a?)"))) {
        throw failure("a folder of images is called COMPILER-sm_80, say, or COMPILER-compute_80: " +
                      images.string());
    }
    is_ptx_ = parts[1] == "compute";
    arch_ = std::stoi(parts[2]);
    is_for_this_chip_only_ = parts[3] == "a";
    if (!can_run()) return;
    for (auto const& entry : std::filesystem::directory_iterator(images)) {
        auto const kind_of_file = entry.path().extension();
        if (kind_of_file == ".cubin" || kind_of_file == ".ptx") load(entry.path());
    }
    if (modules_.empty()) throw failure("no images in " + images.string());
}

// Machine code runs on chips of the same generation that are as new or newer, and that of a chip's
// own pieces on this chip only; PTX on whatever is newer.
bool gpu_device::can_run() const {
    if (is_for_this_chip_only_) return on_.arch() == arch_;
    return on_.arch() >= arch_ && (is_ptx_ || on_.arch() / 10 == arch_ / 10);
}

void gpu_device::load(std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string image{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) throw failure("cannot read " + file.string());
    std::string log(8192, '\0');
    int options[] = {driver::error_log, driver::error_log_bytes};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
    driver::module module = nullptr;
    int const result = api_.load(&module, image.c_str(), 2, options, values);
    log.resize(std::min(log.find('\0'), log.size()));
    api_.check(result, "cuModuleLoadDataEx of " + file.string() + (log.empty() ? "" : "\n" + log));
    modules_.push_back(module);
}

driver::function gpu_device::find(launch_request const& request) const {
    driver::function function = nullptr;
    for (auto* const module : modules_) {
        int const result = api_.find_function(&function, module, request.symbol);
        if (result == driver::not_found) continue;
        api_.check(result, std::string("cuModuleGetFunction of ") + request.symbol);
        break;
    }
    if (!function) throw failure("no image in " + name_ + " has a kernel " + request.symbol);
    std::size_t offset = 0;
    std::size_t bytes = 0;
    api_.check(api_.parameter(function, 0, &offset, &bytes),
               std::string("cuFuncGetParamInfo of ") + request.symbol);
    if (bytes != request.params_bytes) {
        throw failure(std::string(request.symbol) + " takes " + std::to_string(bytes) +
                      " bytes of parameters, the host knows of " +
                      std::to_string(request.params_bytes));
    }
    return function;
}

void* gpu_device::allocate(std::string const& name, std::size_t bytes) {
    std::size_t const whole = std::max<std::size_t>(bytes, 1) + 2 * guard_bytes();
    driver::address start = 0;
    api_.check(api_.allocate(&start, whole),
               "cuMemAlloc of " + std::to_string(whole) + " bytes for " + name);
    if (kind_ == memory_kind::guarded) {
        api_.check(api_.fill(start, guard, whole), "cuMemsetD8 of the guards of " + name);
        if (bytes > 0) {
            api_.check(api_.fill(start + guard_bytes(), poison, bytes), "cuMemsetD8 of " + name);
        }
    }
    void* const begin = reinterpret_cast<void*>(start + guard_bytes());
    allocations_[begin] = {name, start, bytes};
    return begin;
}

void gpu_device::release(void* begin) {
    // After a kernel's crash the driver refuses this too, and whoever saw the crash has told.
    api_.release(allocations_.at(begin).start);
    allocations_.erase(begin);
}

void gpu_device::write(void* to, void const* from, std::size_t bytes) {
    api_.check(api_.write(address_of(to), from, bytes),
               "cuMemcpyHtoD of " + std::to_string(bytes) + " bytes");
}

void gpu_device::read(void* to, void const* from, std::size_t bytes) {
    api_.check(api_.read(to, address_of(from), bytes),
               "cuMemcpyDtoH of " + std::to_string(bytes) + " bytes");
}

tensor_map_words gpu_device::encode(tensor_map_plan const& plan, void* base) {
    // The numbers of unsigned integers; the engine only copies them.
    int const type = plan.element_bytes == 8   ? 4
                     : plan.element_bytes == 4 ? 2
                     : plan.element_bytes == 2 ? 1
                                               : 0;
    int const swizzle = plan.swizzle == 128  ? 3
                        : plan.swizzle == 64 ? 2
                        : plan.swizzle == 32 ? 1
                                             : 0;
    int const fetched = plan.fetched == 256   ? 3
                        : plan.fetched == 128 ? 2
                        : plan.fetched == 64  ? 1
                                              : 0;
    unsigned long long sizes[5], strides[5];
    unsigned box[5];
    unsigned const steps[5] = {1, 1, 1, 1, 1};
    std::copy_n(plan.sizes, 5, sizes);
    std::copy_n(plan.strides, 5, strides);
    std::copy_n(plan.box, 5, box);
    tensor_map_words map = {};
    // The stride of the innermost dimension is not told.
    api_.check(api_.encode_tiled(&map, type, static_cast<unsigned>(plan.rank), base, sizes,
                                 strides + 1, box, steps, 0, swizzle, fetched, 0),
               "cuTensorMapEncodeTiled of rank " + std::to_string(plan.rank) + " and swizzle " +
                   std::to_string(plan.swizzle));
    return map;
}

void gpu_device::launch(launch_request const& request) {
    auto* const function = find(request);
    auto const unsigned_of = [](int n) { return static_cast<unsigned>(n); };
    auto const& [grid, shape] = request.shape;
    auto const& [block, cluster, shared_bytes, overlaps_previous] = shape;
    std::string const symbol = request.symbol;
    if (shared_bytes > 0) {
        api_.check(api_.set_attribute(function, driver::max_dynamic_shared_bytes, shared_bytes),
                   "cuFuncSetAttribute of " + std::to_string(shared_bytes) + " shared bytes of " +
                       symbol);
    }
    driver::attribute attribute = {.id = driver::cluster_dimension, .unused = {}, .value = {}};
    attribute.value.cluster = {unsigned_of(cluster.x), unsigned_of(cluster.y),
                               unsigned_of(cluster.z)};
    bool const has_clusters = cluster.x * cluster.y * cluster.z > 1;
    driver::launch_config const config = {
        .grid_x = unsigned_of(grid.x),
        .grid_y = unsigned_of(grid.y),
        .grid_z = unsigned_of(grid.z),
        .block_x = unsigned_of(block.x),
        .block_y = unsigned_of(block.y),
        .block_z = unsigned_of(block.z),
        .shared_bytes = unsigned_of(shared_bytes),
        .stream = nullptr,
        .attributes = &attribute,
        .attribute_count = has_clusters ? 1u : 0u,
    };
    void* arguments[] = {const_cast<void*>(request.params)};
    api_.check(api_.launch(&config, function, arguments, nullptr), "cuLaunchKernelEx of " + symbol);
    api_.check(api_.context_synchronize(), "cuCtxSynchronize after " + symbol);
    look_at_guards(request.symbol);
}

void gpu_device::look_at_guards(char const* symbol) const {
    if (kind_ == memory_kind::bare) return;
    for (auto const& [begin, memory] : allocations_) {
        std::string const sentence = std::string(symbol) + " wrote to the guard ";
        look_at_guard(memory.start, guard_bytes(), sentence + "before " + memory.name);
        look_at_guard(memory.start + guard_bytes() + memory.bytes, guard_bytes(),
                      sentence + "after " + memory.name);
    }
}

void gpu_device::look_at_guard(driver::address start, std::size_t bytes,
                               std::string const& sentence) const {
    std::vector<unsigned char> found(bytes);
    api_.check(api_.read(found.data(), start, bytes), "cuMemcpyDtoH of a guard");
    auto const touched = std::ranges::find_if(found, [](auto byte) { return byte != guard; });
    if (touched != found.end()) {
        throw failure(sentence + ", at byte " + std::to_string(touched - found.begin()) + " of it");
    }
}

} // namespace spio::test
