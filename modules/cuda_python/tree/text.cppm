// Texts, the tokens of them, and the messages about them.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A token is a word,
// number or sign of a text; a span is a place in it. A fragment is a part of a program that comes
// from one text.
module;

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

module spio.cuda_python:text;

import :types;

namespace spio::cuda_python {

// A part of the source, in bytes.
struct span {
    unsigned begin = 0, end = 0;
};
// A part of a text that comes from a file of its own, or from lines of its own.
struct text_part {
    unsigned begin;
    std::string file;
    int first_line, first_column;
    std::size_t fragment; // whose meanings its names have
};
// A source whose lines can be found.
struct source_text {
    cuda_python::source source;
    std::vector<text_part> parts = {}; // in the order of their begins, which are begins of lines

    explicit source_text(cuda_python::source);
    explicit source_text(std::vector<fragment> const&);
    text_part const& part_of(span) const;
    std::string_view text(span location) const {
        return std::string_view(source.text).substr(location.begin, location.end - location.begin);
    }
    span whole() const { return {0, static_cast<unsigned>(source.text.size())}; }
    position position_of(span) const;

  private:
    std::vector<unsigned> line_begins = {0};

    void find_lines();
};

std::string in_quotes(std::string_view); // for messages: short and printable
// Words of a message: texts as they are or in quotes, numbers, and types by their names.
struct quoted {
    std::string_view text;
};
inline std::string words_of(quoted name) { return in_quotes(name.text); }
inline std::string words_of(std::string_view text) { return std::string(text); }
inline std::string words_of(std::integral auto number) { return std::to_string(number); }
inline std::string words_of(scalar type) { return name_of(type); }
inline std::string words_of(type const& type) { return name_of(type); }

// What reads a text, and refuses the program for a place in it. A message is "rule: message", with
// words for the signs %; the rule is the section of docs/cuda_python.md that the program breaks.
struct reader {
    source_text const* text;
    std::vector<position> calls = {}; // of device functions that led to the place, outermost first

    [[noreturn]] void refuse(span, std::string_view message,
                             std::initializer_list<std::string> words) const;
    template <class... Words>
    [[noreturn]] void fail(span location, std::string_view message, Words const&... words) const {
        refuse(location, message, {words_of(words)...});
    }
    template <class... Words>
    void refuse_if(bool is_wrong, span location, std::string_view message,
                   Words const&... words) const {
        if (is_wrong) fail(location, message, words...);
    }
};

// Counts the calls of a function to itself that are open.
struct level {
    int& depth;

    explicit level(int& depth) : depth(depth) { ++depth; }
    level(level const&) = delete;
    ~level() { --depth; }
};

enum class token_kind : unsigned char { name, number, string, sign, newline, indent, dedent, end };
struct token {
    token_kind kind;
    span location;
};
std::vector<token> tokens_of(source_text const&, span part);

} // namespace spio::cuda_python
