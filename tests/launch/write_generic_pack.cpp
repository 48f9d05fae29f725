// Writes a pack of generic kernels that the fake of CUDA's driver loads.
// SPDX-License-Identifier: Apache-2.0
//
//     write_generic_pack FILE
//
// A generic kernel serves every layer with the same filter; a pack is a file of compiled kernels.
#include <cstdio>
#include <exception>
#include <string_view>

import spio.fake_images;
import spio.system;

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        auto const bytes = fake::pack_bytes(fake::generic_specs());
        spio::write_file(argv[1], {reinterpret_cast<char const*>(bytes.data()), bytes.size()});
    } catch (std::exception const& e) {
        return std::fprintf(stderr, "%s\n", e.what()), 1;
    }
}
