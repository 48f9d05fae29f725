// Chooses between a GPU and the host.
// SPDX-License-Identifier: Apache-2.0
//
// The host is the host device: a GPU that is simulated on the CPU. host_machine has its functions.
module;

#include <memory>
#include <optional>
#include <string>
#include <utility>

module spio.launch;

import spio.cuda;

namespace spio {

device best_device(int gpu, std::optional<host_machine> const& host,
                   std::shared_ptr<cuda::driver const> driver) {
    try {
        if (!driver) driver = std::make_shared<cuda::driver const>();
        if (host && driver->device_count() == 0) {
            log("no GPU: the driver has none");
            return host_device(*host);
        }
    } catch (error const& e) {
        if (e.kind() != error_kind::not_found || !host) throw;
        log(std::string("no GPU: ") + e.what());
        return host_device(*host);
    }
    return gpu_device(std::move(driver), gpu);
}

} // namespace spio
