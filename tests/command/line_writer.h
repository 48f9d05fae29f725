// Writes command lines of `spio` at random, sensible and not.
// SPDX-License-Identifier: Apache-2.0
//
// A pack is a file of compiled kernels; a policy says whether kernels come from packs or from a
// compiler. fprop, dgrad and wgrad are the passes of a convolution.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

// `spio` is the project's command: it compiles, runs, measures and lists kernels of a few families,
// such as conv2d, each for a problem in words, such as n=1 c=64. `names` are the files that lines
// name.
struct line_writer {
    std::mt19937 random;
    std::vector<std::string> const& names;

    // With a probability of 1 / count.
    bool one_in(unsigned count) { return random() % count == 0; }
    template <class List> auto pick(List const& list) { return list[random() % std::size(list)]; }

    // A number at the edge of some type, a usual one, or no number.
    std::string number() {
        static constexpr std::array words = {
            "1",           "2",   "3",    "7",          "8",          "16",         "64",
            "1000",        "0",   "-1",   "2147483647", "2147483640", "1073741824", "",
            "99999999999", "1e3", "0x10", "true",       "nan",        "65536"};
        return pick(words);
    }
    // A part of a problem, such as c=64; most name no field that the problem has.
    std::string field() {
        static constexpr std::array names_of_fields = {
            "n",         "c",        "h",          "w",        "r",          "s",
            "pad_h",     "pad_w",    "bias",       "pass",     "made_for",   "gradient",
            "type",      "stride_h", "dilation_w", "residual", "activation", "scale",
            "channels",  "affine",   "positions",  "m",        "k",          "batch",
            "alignment", "result",   "a",          "b",        "threads",    "x"};
        static constexpr std::array words = {
            "fprop", "dgrad", "wgrad", "true",    "false", "any_n",     "fp16", "bf16",
            "fp32",  "gelu",  "rows",  "columns", "any_m", "any_image", "=",    "\x1b[2J"};
        auto const name = std::string(pick(names_of_fields));
        return name + (one_in(20) ? "" : "=") + (one_in(3) ? std::string(pick(words)) : number());
    }
    // A number that the field takes more often than not.
    std::string small_number() {
        static constexpr std::array words = {"8", "16", "24", "64", "1", "40", "128", "7"};
        return one_in(12) ? number() : std::string(pick(words));
    }
    // A problem whose words are known, with numbers at the edges of what they may be.
    void add_problem(std::vector<std::string>& words) {
        auto const numbers = [&](std::initializer_list<char const*> names_of_fields) {
            for (auto const* const name : names_of_fields) {
                words.push_back(std::string(name) + "=" + small_number());
            }
        };
        switch (random() % 16) {
        case 0:
        case 1:
        case 2:
            words.insert(words.end(), {"axpby", "n=" + number()});
            break;
        case 3:
        case 4:
        case 5:
            words.push_back("layernorm_2d");
            numbers({"channels"});
            break;
        case 6:
        case 7:
        case 8:
        case 9:
        case 10:
            words.push_back("conv2d");
            numbers({"n", "c", "h", "w"});
            break;
        case 11:
        case 12:
        case 13:
        case 14:
            words.push_back("matmul");
            numbers({"m", "n", "k"});
            break;
        default:
            words.push_back("softmax");
        }
        while (one_in(3)) words.push_back(field());
    }
    // A layout of a few axes, whole or with one character changed.
    void add_layout(std::vector<std::string>& words) {
        static constexpr std::array axes = {"i",
                                            "k",
                                            "k / 8",
                                            "k % 8",
                                            "i % 4",
                                            "i / 4",
                                            "swizzle(k, i % 4)",
                                            "j",
                                            "i / 0",
                                            "k % 0",
                                            "checkerboard(k, i)",
                                            "(i",
                                            "i,",
                                            "swizzle(i)",
                                            "k / 99999999999"};
        static constexpr std::array elements = {"half", "cell", "char", "double", "float4", "void"};
        std::string text = "tensor<" + std::string(pick(elements));
        do {
            text += ", " + std::string(pick(axes));
        } while (!one_in(3));
        text += ">";
        if (one_in(4)) text[random() % text.size()] = static_cast<char>(32 + random() % 95);
        words.push_back(text);
        for (auto const* const name : {"i", "k", "j"}) {
            if (!one_in(5)) words.push_back(std::string(name) + "=" + small_number());
        }
        static constexpr std::array quantities = {"address", "bank", "offset", "color"};
        if (one_in(2)) words.insert(words.end(), {"--value", pick(quantities)});
        if (one_in(8)) words.insert(words.end(), {"--svg", pick(names)});
    }
    // Some options, right ones or not.
    void add_options(std::vector<std::string>& words) {
        static constexpr std::array archs = {"sm_80", "sm_90a", "sm_86",   "compute_80", "host",
                                             "sm_70", "sm_999", "sm_100a", "arch"};
        while (one_in(3)) {
            switch (random() % 9) {
            case 0:
                words.push_back("--json");
                break;
            case 1:
                words.insert(words.end(), {"--seed", number()});
                break;
            case 2:
                words.push_back("--check");
                break;
            case 3:
                words.insert(words.end(), {"--arch", pick(archs)});
                break;
            case 4:
                words.insert(words.end(), {"--pack", pick(names)});
                break;
            case 5:
                words.push_back("--device=" + std::string(one_in(2) ? "host" : "gpu:1"));
                break;
            case 6:
                words.push_back(one_in(8) ? "--help" : "--time");
                break;
            case 7:
                words.insert(words.end(), {"--policy", "aot_only"});
                break;
            default:
                words.push_back(one_in(2) ? "--" + number() : field());
            }
        }
    }
    // The words of one line after `spio`.
    std::vector<std::string> line() {
        static constexpr std::array plain = {"list", "version", "doctor", "", "help", "shwo"};
        std::vector<std::string> words;
        auto const choice = random() % 32;
        if (choice == 0) {
            words.push_back(pick(plain));
        } else if (choice < 3) {
            words.insert(words.end(), {"cache", one_in(2) ? "list" : "verify"});
        } else if (choice < 8) {
            words.insert(words.end(), {"pack", one_in(2) ? "list" : "verify", pick(names)});
        } else if (choice == 8) {
            words.insert(words.end(), {"completion", one_in(2) ? "bash" : "fish"});
        } else if (choice < 12) {
            words.push_back("draw");
            add_layout(words);
        } else if (choice == 12) {
            words.insert(words.end(), {"pack", "build", pick(names), "--cuda", "/nowhere"});
        } else if (choice == 13) {
            words.push_back("tune");
            add_problem(words);
            words.insert(words.end(), {"--best", small_number(), "--file", pick(names)});
        } else if (choice < 22) {
            words.push_back("show");
            add_problem(words);
        } else {
            words.insert(words.end(), {"run", "--policy", "aot_only"});
            add_problem(words);
        }
        add_options(words);
        if (one_in(8)) words.erase(words.begin() + static_cast<long>(random() % words.size()));
        return words;
    }
};
