// The text of kernels that is embedded in the library is that of the files in kernels/, all of it.
// SPDX-License-Identifier: Apache-2.0
//
// NVRTC compiles kernels from headers in memory; a header is a name and a text.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

import spio.jit;
import spio.system;

namespace fs = std::filesystem;

TEST_CASE("each header in memory is the file of that name, and has the digest of its text") {
    std::size_t bytes = 0;
    for (auto const& [name, text, digest] : spio::jit::kernel_text()) {
        CAPTURE(name);
        fs::path const root = name.starts_with("boost/") ? fs::path(SPIO_MP11_INCLUDE_DIR)
                                                         : fs::path(SPIO_SOURCE_DIR) / "kernels";
        std::ifstream file(root / name, std::ios::binary);
        REQUIRE(file);
        CHECK(text == std::string(std::istreambuf_iterator<char>(file), {}));
        auto const* const data = reinterpret_cast<unsigned char const*>(text.data());
        auto const sum = spio::hexadecimal(spio::sha256_of({data, text.size()}));
        CHECK(digest == std::stoull(sum.substr(0, 16), nullptr, 16));
        bytes += text.size();
    }
    std::cout << "summary: jit.kernel_text: " << spio::jit::kernel_text().size() << " headers, "
              << bytes << " bytes, SHA-256 " << spio::jit::kernel_text_digest() << '\n';
}

TEST_CASE("each file that families share is in memory, in order, and has part in a digest") {
    auto const headers = spio::jit::kernel_text();
    CHECK(std::ranges::is_sorted(headers, {}, &spio::jit::header::name));
    fs::path const kernels = fs::path(SPIO_SOURCE_DIR) / "kernels";
    for (auto const* folder : {"machine", "spio"}) {
        for (auto const& entry : fs::recursive_directory_iterator(kernels / folder)) {
            std::string const name = entry.path().lexically_relative(kernels).string();
            auto const has_name = [&](auto const& header) { return header.name == name; };
            CHECK_MESSAGE((entry.is_directory() || std::ranges::count_if(headers, has_name) == 1),
                          name);
        }
    }
    std::string_view const digest = spio::jit::kernel_text_digest();
    CHECK(digest.size() == 64);
    CHECK(digest.find_first_not_of("0123456789abcdef") == digest.npos);
}
