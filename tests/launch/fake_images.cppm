// Packs of images (compiled kernels) that the fake of CUDA's driver loads, and the generic ones.
// SPDX-License-Identifier: Apache-2.0
//
// A generic kernel serves every layer with the same filter; a pack is a file of compiled kernels, a
// spec what a kernel is compiled from. fprop, dgrad and wgrad are the passes of a convolution.
// plain_bytes is the size of an image before compression.
module;

#include <cstddef>
#include <span>
#include <string>
#include <vector>

export module spio.fake_images;

import spio.aot;
import spio.conv2d;
import spio.image;
import spio.spec;
import spio.text;

export namespace fake {

// The bytes of a pack of images that the fake driver loads as cubins.
std::vector<std::byte> pack_bytes(std::vector<spio::spec> const& specs) {
    std::vector<spio::aot::image_to_pack> images;
    for (auto const& spec : specs) {
        std::string const text = "\177ELF" + spec.symbol + " " + '\0';
        auto const bytes = std::as_bytes(std::span(text));
        images.push_back({.kernel = spec,
                          .kind = spio::image_kind::cubin,
                          .bytes = {bytes.begin(), bytes.end()},
                          .compiler = "a test",
                          .text_digest = spio::text_digest_of(spec),
                          .plain_bytes = bytes.size()});
    }
    return spio::aot::write_pack(images);
}

spio::conv2d::problem layer_of(std::string const& text) {
    return spio::parse<spio::conv2d::problem>("conv2d", text);
}
std::vector<spio::spec> specs_of(spio::conv2d::problem const& problem) {
    return spio::conv2d::specs_of(problem, spio::conv2d::best_config(problem, spio::sm_90a),
                                  spio::sm_90a);
}
// The generic kernels of filters of 3 x 3 in fp16 for sm_90a.
std::vector<spio::spec> generic_specs() {
    std::vector<spio::spec> specs;
    for (auto const* pass : {"fprop", "dgrad", "wgrad"}) {
        for (auto const* width : {"7", "40"}) {
            // Few channels make many splits of a weight gradient, and many channels few.
            for (auto const* channels : {"64", "1024"}) {
                auto const line =
                    std::string("n=64 h=40 c=") + channels + " w=" + width + " pass=" + pass;
                for (auto const& spec : specs_of(spio::conv2d::generic_problem(layer_of(line)))) {
                    specs.push_back(spec);
                }
            }
        }
    }
    return specs;
}

} // namespace fake
