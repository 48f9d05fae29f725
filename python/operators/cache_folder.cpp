// Tells where compiled kernels are kept, and why not.
// SPDX-License-Identifier: Apache-2.0
#include "launches.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

import spio.cache;

namespace spio::pytorch {

kept_kernels cache_folder() {
    auto const folder = cache::folder_of_environment(cache::operating_system());
    if (!folder) return {folder.path(), folder.refusal()};
    if (::faccessat(folder.descriptor(), ".", W_OK, AT_EACCESS) == 0) return {folder.path(), {}};
    return {folder.path(), "this user cannot write to " + folder.path() + ": " +
                               std::generic_category().message(errno)};
}

} // namespace spio::pytorch
