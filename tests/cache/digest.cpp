// SHA-256 against the vectors of NIST, and keys: what changes them, and what does not.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

import spio.cache;

namespace cache = spio::cache;

static cache::digest digest_of_text(std::string_view text) {
    cache::sha256 sum;
    sum.update(text);
    return sum.finish();
}

// The digest of a text in hexadecimal digits.
static std::string spelled(std::string_view text) {
    return cache::hexadecimal(digest_of_text(text));
}

TEST_CASE("digests are those that NIST gives") {
    struct vector {
        std::string text;
        char const* digest;
    };
    // FIPS 180-4's examples, then the additional ones around the ends of blocks, then CAVS.
    vector const vectors[] = {
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
         "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
        {std::string(1000000, 'a'),
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"\xbd", "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"},
        {"\xc9\x8c\x8e\x55", "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504"},
        {std::string(55, '\0'), "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
        {std::string(56, '\0'), "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
        {std::string(57, '\0'), "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"},
        {std::string(64, '\0'), "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
        {std::string(1000, '\0'),
         "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"},
        {std::string(1000, 'A'),
         "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4"},
        {std::string(1005, 'U'),
         "f4d62ddec0f3dd90ea1380fa16a5ff8dc4c54b21740650f24afc4120903552b0"},
        {std::string(1000000, '\0'),
         "d29751f2649b32ff572b5e0a9f541ea660a50f94ff0beedfb0b692b924cc8025"},
        {"\xd3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"},
        {"\x11\xaf", "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"},
    };
    for (auto const& each : vectors) CHECK(spelled(each.text) == each.digest);
    std::printf("summary: cache.digest: %zu vectors\n", std::size(vectors));
}

TEST_CASE("digests do not depend on the pieces that a text comes in") {
    std::string text;
    for (int i = 0; i < 200; i++) text += static_cast<char>(i * 7);
    auto const expected = digest_of_text(text);
    for (std::size_t first = 0; first <= text.size(); first++) {
        for (std::size_t second = first; second <= text.size(); second += 13) {
            cache::sha256 sum;
            sum.update(std::string_view(text).substr(0, first));
            sum.update(std::string_view(text).substr(first, second - first));
            sum.update(std::string_view(text).substr(second));
            REQUIRE(sum.finish() == expected);
        }
    }
}

TEST_CASE("every ingredient changes the key, and so does where one ends and the next begins") {
    std::vector<std::string> const none, joined = {"-a-b"}, two = {"-a", "-b"},
                                         turned = {"-b", "-a"};
    cache::ingredients const base = {.source = "source",
                                     .headers = digest_of_text("headers"),
                                     .options = two,
                                     .nvrtc_build = "36424714",
                                     .arch = "sm_90a"};
    std::set<cache::key> keys = {cache::key_of(base)};
    auto const add = [&](auto change) {
        auto changed = base;
        change(changed);
        keys.insert(cache::key_of(changed));
    };
    add([](auto& changed_ingredients) { changed_ingredients.source = "source "; });
    add([](auto& changed_ingredients) {
        changed_ingredients.headers = digest_of_text("other headers");
    });
    add([&](auto& changed_ingredients) { changed_ingredients.options = none; });
    add([&](auto& changed_ingredients) { changed_ingredients.options = joined; });
    add([&](auto& changed_ingredients) { changed_ingredients.options = turned; });
    add([](auto& changed_ingredients) { changed_ingredients.nvrtc_build = "36424715"; });
    add([](auto& changed_ingredients) { changed_ingredients.arch = "sm_90"; });
    add([](auto& changed_ingredients) {
        changed_ingredients.nvrtc_build = "36424714s", changed_ingredients.arch = "m_90a";
    });
    add([](auto& changed_ingredients) {
        changed_ingredients.nvrtc_build = "3642471", changed_ingredients.arch = "4sm_90a";
    });
    CHECK(keys.size() == 10); // the first, and nine changes
    CHECK(keys.contains(cache::key_of(base)));

    cache::named_text const headers[] = {{"a.h", "text"}, {"b.h", ""}};
    cache::named_text const moved[] = {{"a.h", "textb.h"}, {"", ""}};
    cache::named_text const swapped[] = {{"b.h", ""}, {"a.h", "text"}};
    std::set<cache::digest> const digests = {cache::digest_of(headers), cache::digest_of(moved),
                                             cache::digest_of(swapped)};
    CHECK(digests.size() == 3);
}

// The next version of a program must find what this one has published, so keys must not change.
TEST_CASE("keys do not change from build to build") {
    std::vector<std::string> const options = {"-std=c++20", "-default-device"};
    auto const got = cache::key_of({.source = "extern \"C\" __global__ void f() {}",
                                    .headers = digest_of_text(""),
                                    .options = options,
                                    .nvrtc_build = "1",
                                    .arch = "sm_80"});
    CHECK(cache::hexadecimal(got.value) ==
          "df83beefc2d14f63c4e5a8e11b761bf8491159e0c02a181f1418b89fc5ae1ff0");
}

TEST_CASE("a key is the digest of its parts, each after its size in 8 bytes") {
    auto const number = [](std::uint64_t value) {
        std::string bytes;
        for (int byte = 0; byte < 8; ++byte, value /= 256) bytes += static_cast<char>(value % 256);
        return bytes;
    };
    auto const part = [&](std::string const& text) { return number(text.size()) + text; };
    auto const headers = digest_of_text("headers");
    for (std::size_t const size : {0, 1, 255, 256, 300, 65536, 70000}) {
        std::string const source(size, 's'), build(size, 'b');
        std::vector<std::string> const options(size % 1000, "-o");
        std::string parts = part("spio image") + number(3) + part(source) + number(headers.size()) +
                            std::string(headers.begin(), headers.end()) + number(options.size());
        for (auto const& option : options) parts += part(option);
        parts += part(build) + part("sm_80");
        CHECK(cache::key_of({.source = source,
                             .headers = headers,
                             .options = options,
                             .nvrtc_build = build,
                             .arch = "sm_80"})
                  .value == digest_of_text(parts));
        std::string const name(size, 'n');
        cache::named_text const texts[] = {{name, source}, {"a.h", build}};
        CHECK(cache::digest_of(texts) ==
              digest_of_text(number(2) + part(name) + part(source) + part("a.h") + part(build)));
    }
}
