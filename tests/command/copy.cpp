// The kernel that `spio run --time` compares with, executed one instruction after the other.
// SPDX-License-Identifier: Apache-2.0
//
// Its text is PTX without branches: a thread is a list of instructions with numbers in registers.
// A vector has 16 bytes, and each word in memory is a function of its address, so that a vector
// shows where it was loaded from.
#include <doctest/doctest.h>

#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using words = std::array<std::uint32_t, 4>;

constexpr std::uint64_t source = std::uint64_t{1} << 40;
constexpr std::uint64_t destination = std::uint64_t{5} << 44;

// What memory holds: words that follow from the address.
words words_at(std::uint64_t address) {
    words loaded;
    for (auto& word : loaded)
        word = static_cast<std::uint32_t>(address * 2654435761u >> 4), ++address;
    return loaded;
}

struct instruction {
    std::string guard; // the register that says whether it is executed; empty if it always is
    std::string name;
    std::vector<std::string> operands;
};

std::vector<instruction> instructions_of(std::string text) {
    for (std::size_t begin; (begin = text.find("//")) != text.npos;) {
        text.erase(begin, text.find('\n', begin) - begin);
    }
    std::vector<instruction> list;
    instruction next;
    std::string word;
    auto const end_word = [&] {
        if (!word.empty() && word[0] == '@') {
            next.guard = word.substr(1);
        } else if (!word.empty() && next.name.empty()) {
            next.name = word;
        } else if (!word.empty()) {
            next.operands.push_back(word);
        }
        word.clear();
    };
    for (char const c : text.substr(text.find("\n{\n") + 3)) {
        if (std::isalnum(static_cast<unsigned char>(c)) ||
            std::string("@%._").find(c) != std::string::npos) {
            word += c;
            continue;
        }
        end_word();
        if (c == ';') list.push_back(std::exchange(next, {}));
    }
    return list;
}

// A launch: the number of vectors to copy, and the threads of a block.
struct launch {
    std::uint64_t vectors;
    std::uint64_t threads;
};

// Executes a thread, and adds the numbers of the vectors that it stores to `stored`.
void execute(std::vector<instruction> const& list, launch const& launch, std::uint64_t block,
             std::uint64_t thread, std::multiset<std::uint64_t>& stored) {
    std::map<std::string, std::uint64_t> registers = {
        {"%ctaid.x", block}, {"%ntid.x", launch.threads}, {"%tid.x", thread}};
    std::uint64_t const parameters[] = {destination, source, launch.vectors};
    for (auto const& [guard, name, operands] : list) {
        if (name == ".reg" || name == "ret") continue;
        if (!guard.empty() && registers.at(guard) == 0) continue;
        auto const number = [&](std::size_t i) {
            auto const& operand = operands.at(i);
            return operand[0] == '%' ? registers.at(operand) : std::stoull(operand);
        };
        auto& result = registers[operands.at(0)];
        if (name == "ld.param.b64") {
            result = parameters[operands.size() > 2 ? number(2) / 8 : 0];
        } else if (name == "cvta.to.global.u64" || name == "mov.u32" || name == "cvt.u64.u32") {
            result = number(1);
        } else if (name == "shl.b64") {
            result = number(1) << number(2);
        } else if (name == "add.u64") {
            result = number(1) + number(2);
        } else if (name == "mad.wide.u32") {
            REQUIRE((number(1) | number(2)) <= 0xffffffff);
            result = number(1) * number(2) + number(3);
        } else if (name == "setp.lt.u64") {
            result = number(1) < number(2);
        } else if (name == "ld.global.v4.b32") {
            CHECK(number(4) - source < 16 * launch.vectors);
            for (std::size_t i = 0; i < 4; ++i) registers[operands[i]] = words_at(number(4))[i];
        } else {
            REQUIRE(name == "st.global.v4.b32");
            auto const offset = number(0) - destination;
            CHECK(offset % 16 == 0);
            words vector;
            for (std::size_t i = 0; i < 4; ++i)
                vector[i] = static_cast<std::uint32_t>(number(1 + i));
            CHECK(vector == words_at(source + offset));
            stored.insert(offset / 16);
        }
    }
}

std::vector<instruction> kernel() {
    std::ifstream file(SPIO_COPY_TEXT);
    return instructions_of(std::string(std::istreambuf_iterator<char>(file), {}));
}

} // namespace

TEST_CASE("the copy stores each vector once, and none beyond the last one") {
    auto const list = kernel();
    REQUIRE(list.size() > 15);
    for (std::uint64_t const threads : {32, 256}) {
        for (std::uint64_t const vectors : {1, 31, 32, 33, 255, 256, 257, 513}) {
            CAPTURE(threads);
            CAPTURE(vectors);
            std::multiset<std::uint64_t> stored, expected;
            for (std::uint64_t i = 0; i < vectors; ++i) expected.insert(i);
            for (std::uint64_t block = 0; block * threads < vectors; ++block) {
                for (std::uint64_t thread = 0; thread < threads; ++thread) {
                    execute(list, {vectors, threads}, block, thread, stored);
                }
            }
            CHECK(stored == expected);
        }
    }
}

TEST_CASE("the copy counts beyond 32 bits") {
    std::uint64_t const vectors = std::uint64_t{3} << 33, block = vectors / 256 - 1;
    std::multiset<std::uint64_t> stored;
    execute(kernel(), {vectors, 256}, block, /*thread=*/255, stored);
    execute(kernel(), {vectors, 256}, block + 1, /*thread=*/0, stored);
    CHECK(stored == std::multiset<std::uint64_t>{vectors - 1});
}
