// Which headers a kernel's text includes, and the digests of texts.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: a source, which includes headers by their names. Packs
// (files of compiled kernels) keep digests, by which they know damage and text that has changed, so
// that a digest must stay what it is. A family is the kernels of one operation.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

import spio.spec;
import spio.text;

using namespace spio;

namespace {

// The names of those headers that a source includes, directly or not, each followed by a blank.
std::string names_in(std::string_view source, std::span<header const> headers) {
    spec kernel;
    kernel.source = source;
    kernel.headers = headers;
    std::string names;
    for (auto const& each : headers_of(kernel)) names += std::string(each.name) + " ";
    return names;
}

// The digest of a kernel's text and headers.
std::uint64_t digest_with(std::string_view source, std::span<header const> headers) {
    spec kernel;
    kernel.source = source;
    kernel.headers = headers;
    return text_digest_of(kernel);
}

} // namespace

TEST_CASE("an include is found however its line is written, and nothing else is one") {
    static constexpr header headers[] = {{"a.h", "int a;\n"}, {"b/b.h", "int b;\n"}};
    for (auto const* source :
         {"#include \"a.h\"", "#include \"a.h\"\n", "#include <a.h>", "#include<a.h>",
          "#include\"a.h\"", "  #include \"a.h\"\n", "\t # \t include \t \"a.h\" // text\n",
          "int x;\n#include \"a.h\"\n", "\n\n \t#include <a.h>\nint x;",
          "# define a\n#include <a.h>", "int x = '#'; #\n#include <a.h>\n",
          "#include \"a.h\"\n#include <a.h>\n"}) {
        CAPTURE(source);
        CHECK(names_in(source, headers) == "a.h ");
    }
    for (auto const* source : {"",
                               "#",
                               "#\n",
                               "# ",
                               "#include",
                               "#include \n",
                               "#include \"",
                               "#include <",
                               "#include a.h",
                               "#include \"a.h",
                               "#include \"a.h\n\"",
                               "#include <a.h",
                               "#include <a.h\"",
                               "#include \"a.h>",
                               "#include \"\"",
                               "#include \"c.h\"",
                               "#include \" a.h\"",
                               "#includ \"a.h\"",
                               "#Include \"a.h\"",
                               "#define x \"a.h\"",
                               "# pragma include \"a.h\"",
                               "x #include \"a.h\"",
                               "// #include \"a.h\"\n",
                               "//#include \"a.h\"\n",
                               "x\t#include \"a.h\"\n",
                               "##include \"a.h\"\n",
                               "include \"a.h\"\n"}) {
        CAPTURE(source);
        CHECK(names_in(source, headers) == "");
    }
    CHECK(names_in("#include <b/b.h>\nint x;\n  #include \"a.h\"\n", headers) == "b/b.h a.h ");
}

TEST_CASE("headers come once, in the order of a compiler, and a family's before Spio's") {
    static constexpr header headers[] = {
        {"one.h", "#include \"two.h\"\n#include \"three.h\"\n#include <one.h>\n"},
        {"two.h", "#include \"four.h\"\n#include \"three.h\"\n"},
        {"three.h", "#include \"two.h\"\n"},
        {"four.h", "int four;\n"},
        {"spio/dim.h", "int own;\n"}};
    CHECK(names_in("#include \"one.h\"\n", headers) == "one.h two.h four.h three.h ");
    CHECK(names_in("#include \"three.h\"\n#include \"one.h\"\n", headers) ==
          "three.h two.h four.h one.h ");
    spec kernel;
    kernel.source = "#include \"spio/dim.h\"\n";
    kernel.headers = headers;
    REQUIRE(headers_of(kernel).size() == 1);
    CHECK(headers_of(kernel)[0].text == "int own;\n");
    kernel.headers = {};
    REQUIRE(!headers_of(kernel).empty());
    CHECK(headers_of(kernel)[0].text.find("dim") != std::string_view::npos);
}

TEST_CASE("a spec's digest has a part of its source and of each header that it includes") {
    static constexpr std::string_view source = "#include \"a.h\"\n#include \"b.h\"\n";
    static constexpr header headers[][3] = {
        {{"a.h", "int a;\n"}, {"b.h", "int b;\n"}, {"c.h", "int c;\n"}},
        {{"a.h", "int b;\n"}, {"b.h", "int a;\n"}, {"c.h", "int c;\n"}}, // the texts are swapped
        {{"a.h", "int a;\n"}, {"b.h", "int c;\n"}, {"c.h", "int c;\n"}},
        {{"a.h", "int c;\n"}, {"b.h", "int b;\n"}, {"c.h", "int c;\n"}},
        {{"a.h", "int a;\n\n"}, {"b.h", "int b;\n"}, {"c.h", "int c;\n"}},
        {{"a.h", "int a;\n"}, {"d.h", "int b;\n"}, {"c.h", "int c;\n"}}};
    std::set<std::uint64_t> digests;
    for (auto const& each : headers) digests.insert(digest_with(source, each));
    CHECK(digests.size() == std::size(headers));
    // What is asked for again is answered from memory, and is the same.
    for (auto const& each : headers) CHECK(digests.contains(digest_with(source, each)));
    // A header that is not included, and where the texts lie, make no difference.
    static std::string const a = "int a;\n", b = "int b;\n";
    header const elsewhere[] = {{"a.h", a}, {"b.h", b}, {"c.h", "other"}};
    CHECK(digest_with(source, elsewhere) == digest_with(source, headers[0]));
    digests.insert(digest_with("#include \"b.h\"\n#include \"a.h\"\n", headers[0]));
    digests.insert(digest_with("#include \"a.h\"\n", headers[0]));
    digests.insert(digest_with("#include \"b.h\"\n", headers[0]));
    digests.insert(digest_with("", headers[0]));
    CHECK(digests.size() == std::size(headers) + 4);
    CHECK(digest_with(source, headers[0]) == 13075704462325533039U);
}

TEST_CASE("the library's digest has a part of the source, and of each header's name and digest") {
    auto const digest_with = [](std::string_view source, std::span<header const> headers) {
        spec kernel;
        kernel.source = source;
        kernel.headers = headers;
        return library_digest_of(kernel);
    };
    static constexpr std::string_view source = "#include \"a.h\"\n";
    static constexpr header headers[][2] = {
        {{"a.h", "int a;\n", 1}, {"b.h", "int b;\n", 2}},
        {{"b.h", "int a;\n", 1}, {"a.h", "int b;\n", 2}},
        {{"a.h", "int a;\n", 2}, {"b.h", "int b;\n", 1}},
        {{"a.h", "int a;\n", 1}, {"b.h", "int b;\n", 3}}, // not included, and counts
        {{"b.h", "int b;\n", 2}, {"a.h", "int a;\n", 1}}};
    std::set<std::uint64_t> digests;
    for (auto const& each : headers) digests.insert(digest_with(source, each));
    digests.insert(digest_with("#include \"b.h\"\n", headers[0]));
    digests.insert(digest_with(source, std::span(headers[0]).first(1)));
    digests.insert(digest_with(source, {}));
    CHECK(digests.size() == std::size(headers) + 3);
    CHECK(!digests.contains(0));
    // The digest of a header stands for its text, which is not read.
    static constexpr header unread[] = {{"a.h", "int c;\n", 1}, {"b.h", "", 2}};
    CHECK(digest_with(source, unread) == digest_with(source, headers[0]));
    static constexpr header unknown[] = {{"a.h", "int a;\n", 1}, {"b.h", "int b;\n"}};
    CHECK(digest_with(source, unknown) == 0);
}

TEST_CASE("headers whose texts lie elsewhere in memory, or are longer, are other headers") {
    static std::string const text = [] {
        std::string numbers;
        for (int i = 0; numbers.size() < 1024; ++i) numbers += std::to_string(i) + " ";
        return numbers;
    }();
    std::set<std::uint64_t> digests;
    for (std::size_t begin = 0; begin < 256; ++begin) {
        header const own[] = {{"a.h", std::string_view(text).substr(begin, 256 ^ begin)}};
        digests.insert(digest_with("#include \"a.h\"\n", own));
    }
    CHECK(digests.size() == 256);
}

TEST_CASE("the digest of bytes of each length is what packs have kept") {
    std::string text;
    std::uint64_t digest = 0;
    for (std::size_t size = 0; size <= 200; ++size) {
        digest = fast_digest_of(text, digest);
        text.push_back(static_cast<char>(size * 37 + 11));
    }
    CHECK(digest == 4190397064279552020U);
    // Words and groups of words change places.
    std::set<std::uint64_t> digests;
    for (std::size_t first = 0; first < 12; ++first) {
        for (std::size_t second = first; second < 12; ++second) {
            std::string swapped = text.substr(0, 12 * 8);
            for (std::size_t byte = 0; byte < 8; ++byte) {
                std::swap(swapped[first * 8 + byte], swapped[second * 8 + byte]);
            }
            digests.insert(fast_digest_of(swapped));
        }
    }
    CHECK(digests.size() == 1 + 12 * 11 / 2);
}
