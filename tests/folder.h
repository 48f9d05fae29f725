// A folder for the files of a test: private, and removed with its contents by the destructor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace spio::test {

struct folder {
    std::string path;

    explicit folder(std::string_view parent = "/tmp") : path(std::string(parent) + "/spio_XXXXXX") {
        if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder: " + path);
    }
    folder(folder const&) = delete;
    folder& operator=(folder const&) = delete;
    ~folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }

    std::string operator/(std::string_view name) const { return path + "/" + std::string(name); }
};

} // namespace spio::test
