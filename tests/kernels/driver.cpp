// Opens the CUDA driver and finds its functions.
// SPDX-License-Identifier: Apache-2.0
#include "driver.h"

#include "device.h"

#include <dlfcn.h>

namespace spio::test {

driver::driver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (!library_) throw failure(std::string("there is no CUDA driver: ") + dlerror());
    find(error_name_, "cuGetErrorName");
    find(error_text_, "cuGetErrorString");
    find(init, "cuInit");
    find(driver_version, "cuDriverGetVersion");
    find(device_get, "cuDeviceGet");
    find(device_name, "cuDeviceGetName");
    find(device_attribute, "cuDeviceGetAttribute");
    find(context_retain, "cuDevicePrimaryCtxRetain");
    find(context_set_current, "cuCtxSetCurrent");
    find(context_synchronize, "cuCtxSynchronize");
    find(allocate, "cuMemAlloc_v2");
    find(release, "cuMemFree_v2");
    find(fill, "cuMemsetD8_v2");
    find(write, "cuMemcpyHtoD_v2");
    find(read, "cuMemcpyDtoH_v2");
    find(load, "cuModuleLoadDataEx");
    find(find_function, "cuModuleGetFunction");
    find(parameter, "cuFuncGetParamInfo");
    find(set_attribute, "cuFuncSetAttribute");
    find(launch, "cuLaunchKernelEx");
    find(encode_tiled, "cuTensorMapEncodeTiled");
}

template <class Function> void driver::find(Function& function, char const* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (!function) throw failure(std::string("the CUDA driver has no ") + name + ": too old?");
}

void driver::check(int result, std::string const& tried) const {
    if (result == 0) return;
    char const* name = "unknown";
    char const* text = "no words for it";
    error_name_(result, &name);
    error_text_(result, &text);
    throw failure(tried + ": " + name + ", " + text);
}

} // namespace spio::test
