// A family of kernels whose source changes, and the pack of compiled kernels that was made before.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation; an image is a compiled kernel; a spec is what it is
// compiled from. An image is stale if its spec has another text, or another configuration, now than
// when it was compiled. A config_source finds measured configurations; without one the family
// chooses. plain_bytes is the size of an image before compression.
#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

import spio.aot;
import spio.image;
import spio.spec;
import spio.text;

using namespace spio;

namespace {

// The texts of the family's headers, which the tests change.
std::string body = "#pragma once\n#include \"spio/dim.h\"\n# include  \"own/inner.h\"\n";
std::string inner = "#pragma once\n#include <cuda_fp16.h>\n";
std::string config_text = "threads=32";
header headers[3];

// A kernel of the family `own`, whose headers have the text that the test has set.
spec specialize(std::string_view problem, arch arch) {
    headers[0] = {"own/own.cuh", body};
    headers[1] = {"own/inner.h", inner};
    headers[2] = {"own/unused.h", "nobody includes it"};
    return specialized({.family = "own",
                        .prefix = "own",
                        .problem = std::string(problem),
                        .config = config_text,
                        .arch = arch,
                        .arguments = "1",
                        .shape = {},
                        .scope = "mine",
                        .headers = headers},
                       /*params_bytes=*/8);
}
family const own[] = {{"own",
                       [](std::string_view problem, arch arch, config_source const&) {
                           return std::vector<spec>{specialize(problem, arch)};
                       },
                       [] { return std::span<header const>(headers); }}};

// The reasons for which images of a pack are stale.
std::string whys(aot::pack const& pack) {
    std::string reasons;
    for (auto const& [entry, reason] : aot::stale_images(pack, own)) reasons += reason + ";";
    return reasons;
}

} // namespace

TEST_CASE("the kernel of a project's own family calls run in the family's namespace") {
    auto const kernel = specialize("a=1", sm_80);
    CHECK(kernel.source ==
          "#include \"own/own.cuh\"\n\nextern \"C\" __global__ void " + kernel.symbol +
              "(__grid_constant__ mine::params const p) {\n    mine::run<1>(p);\n}\n");
}

TEST_CASE("the headers of a specialization are those that its source includes, directly or not") {
    std::vector<std::string> names;
    for (auto const& each : headers_of(specialize("a=1", sm_80))) names.emplace_back(each.name);
    REQUIRE(names.size() > 3);
    CHECK(names[0] == "own/own.cuh");
    CHECK(names[1] == "spio/dim.h");
    CHECK(names.back() == "own/inner.h");
    for (auto const& name : names) {
        CHECK(name != "own/unused.h");
        CHECK(name != "cuda_fp16.h");
    }
}

TEST_CASE("a pack is stale as soon as a text in it is another one") {
    auto const kernel = specialize("a=1", sm_80);
    std::vector<aot::image_to_pack> const images = {{.kernel = kernel,
                                                     .kind = image_kind::cubin,
                                                     .bytes = std::vector<std::byte>(8),
                                                     .compiler = "c 1",
                                                     .text_digest = text_digest_of(kernel),
                                                     .plain_bytes = 8}};
    auto const bytes = aot::write_pack(images);
    aot::pack const pack(bytes, "p", /*keeper=*/{});
    CHECK(whys(pack) == "");
    inner += "//\n";
    CHECK(whys(pack) == "its text has changed since c 1 compiled it;");
    auto const changed = specialize("a=1", sm_80);
    CHECK(!aot::pack(bytes, "p", /*keeper=*/{}).find(changed));
    CHECK(aot::pack(bytes, "p", /*keeper=*/{}).why_not(changed) ==
          "pack p has it of another text, by c 1");
    inner.resize(inner.size() - 3);
    CHECK(whys(pack) == "");
    CHECK(aot::pack(bytes, "p", /*keeper=*/{}).find(specialize("a=1", sm_80)));
    CHECK(aot::pack(bytes, "p", /*keeper=*/{}).why_not(kernel) == "");
    config_text = "threads=64";
    CHECK(whys(pack) == "its configuration is threads=64 now, and was threads=32;");
    config_text = "threads=32";
    CHECK(aot::stale_images(pack, {}).at(0).reason ==
          "read for 'own a=1': there is no family 'own'; the families are ");
}
