// Tokens of a text, indentation among them, numbers, and errors with the line they are in.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A token is a word,
// number or sign of the text; a span is a place in it.
module;

#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

module spio.cuda_python;

import :syntax;

namespace spio::cuda_python {

namespace {

constexpr auto signs = std::to_array<std::string_view>(
    {"**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==",
     "!=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "@=", ":=",
     "+",   "-",   "*",   "/",   "%",   "&",  "|",  "^",  "~",  "<",  ">",  "=",
     "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "@"});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads the tokens of a part of a text in one pass.
class lexer {
  public:
    lexer(source_text const& source, span part)
        : source(source),
          text(std::string_view(source.source.text).substr(0, part.end)),
          position(part.begin) {}

    std::vector<token> tokens() {
        while (position < text.size()) {
            if (is_line_start && brackets.empty() && !read_indentation()) continue;
            read_token();
        }
        if (!brackets.empty()) fail(brackets.back(), "this bracket is never closed");
        if (!is_line_start) add(token_kind::newline, position);
        for (; indentations.size() > 1; indentations.pop_back()) {
            add(token_kind::dedent, position);
        }
        add(token_kind::end, position);
        return std::move(list);
    }

  private:
    // The blanks before a line: the column that they reach with tabs to multiples of 8, and how
    // many characters they are. An inner block has more of both.
    struct indentation {
        int columns = 0, characters = 0;
        friend bool operator==(indentation, indentation) = default;
    };

    source_text const& source;
    std::string_view text;
    std::size_t position;
    bool is_line_start = true;
    std::vector<token> list;
    std::vector<std::size_t> brackets; // open ones
    std::vector<indentation> indentations = {{}};

    static span between(std::size_t begin, std::size_t end) {
        return {static_cast<unsigned>(begin), static_cast<unsigned>(end)};
    }
    [[noreturn]] void fail(std::size_t location, std::string_view message) const {
        source.fail(between(location, location + 1), "text", message);
    }
    char peek(std::size_t ahead = 0) const {
        return position + ahead < text.size() ? text[position + ahead] : '\n';
    }
    void add(token_kind kind, std::size_t begin) {
        list.push_back({kind, between(begin, position)});
    }

    // Skips a line without tokens and returns false, or compares a line's indentation.
    bool read_indentation() {
        indentation now = {};
        auto const begin = position;
        for (; peek() == ' ' || peek() == '\t' || peek() == '\f'; ++position) {
            bool const is_tab = peek() == '\t';
            now = {is_tab ? (now.columns / 8 + 1) * 8 : now.columns + 1, now.characters + 1};
        }
        if (peek() == '#') skip_comment();
        if (peek() == '\n' || peek() == '\r') {
            position = std::min(position + 1, text.size()); // the last line may have no end
            return false;
        }
        is_line_start = false;
        auto const& outer = indentations.back();
        if (now.columns > outer.columns && now.characters > outer.characters) {
            if (indentations.size() > greatest_depth) {
                source.fail(between(begin, position), "nesting",
                            "blocks are nested more than 100 deep");
            }
            indentations.push_back(now);
            add(token_kind::indent, begin);
            return true;
        }
        for (; now.columns < indentations.back().columns; indentations.pop_back()) {
            add(token_kind::dedent, position);
        }
        if (now != indentations.back()) {
            fail(position, "this indentation is that of no enclosing block");
        }
        return true;
    }

    void skip_comment() { position = std::min(text.find('\n', position), text.size()); }

    void read_token() {
        auto const begin = position;
        char const c = peek();
        if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
            ++position;
        } else if (c == '\n') {
            ++position;
            if (!brackets.empty()) return;
            add(token_kind::newline, begin);
            is_line_start = true;
        } else if (c == '#') {
            skip_comment();
        } else if (c == '\\') {
            position += peek(1) == '\r' ? 3 : 2;
            if (position > text.size() || text[position - 1] != '\n') {
                fail(begin, "a backslash continues a line only at its end");
            }
        } else if (is_letter(c)) {
            read_name();
        } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
            read_number();
        } else if (c == '"' || c == '\'') {
            read_string(begin);
        } else {
            read_sign();
        }
    }

    void read_name() {
        auto const begin = position;
        while (is_letter(peek()) || is_digit(peek())) ++position;
        auto const prefix = text.substr(begin, position - begin);
        bool const is_prefix =
            prefix.size() <= 2 && prefix.find_first_not_of("rRbBuUfF") == std::string_view::npos;
        if (!is_prefix || (peek() != '"' && peek() != '\'')) return add(token_kind::name, begin);
        if (prefix.find_first_of("fFbB") != std::string_view::npos) {
            fail(begin, "there are no formatted strings and no bytes");
        }
        read_string(begin);
    }

    void read_number() {
        auto const begin = position;
        bool const is_hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
        while (is_letter(peek()) || is_digit(peek()) || peek() == '.') {
            char const c = peek();
            ++position;
            bool const has_exponent = (c == 'e' || c == 'E') && !is_hexadecimal;
            if (has_exponent && (peek() == '+' || peek() == '-')) ++position;
        }
        add(token_kind::number, begin);
    }

    void read_string(std::size_t begin) {
        auto const quote = text.substr(position, 1);
        std::string const threefold(3, quote.front());
        bool const is_long = text.substr(position).starts_with(threefold);
        auto const ending = is_long ? std::string_view(threefold) : quote;
        position += ending.size();
        while (!text.substr(position).starts_with(ending)) {
            if (position >= text.size() || (peek() == '\n' && !is_long)) {
                fail(begin, "this string is never closed");
            }
            position = std::min(position + (peek() == '\\' ? 2 : 1), text.size());
        }
        position += ending.size();
        add(token_kind::string, begin);
    }

    void read_sign() {
        auto const begin = position;
        auto const sign = std::ranges::find_if(
            signs, [&](auto candidate) { return text.substr(position).starts_with(candidate); });
        if (sign == signs.end()) {
            auto const byte = static_cast<unsigned char>(peek());
            fail(begin, byte >= 0x80 ? "outside of strings and comments a text is ASCII"
                                     : "this character has no meaning here");
        }
        position += sign->size();
        add(token_kind::sign, begin);
        if (*sign == "(" || *sign == "[" || *sign == "{") brackets.push_back(begin);
        if (*sign == ")" || *sign == "]" || *sign == "}") {
            constexpr std::string_view pairs = "()[]{}";
            if (brackets.empty() || pairs[pairs.find(sign->front()) - 1] != text[brackets.back()]) {
                fail(begin, "this bracket closes none");
            }
            brackets.pop_back();
        }
    }
};

} // namespace

// The number that a token spells.
constant constant_of(source_text const& source, span location) {
    auto const word = source.text(location);
    std::string digits;
    std::ranges::copy_if(word, std::back_inserter(digits), [](char c) { return c != '_'; });
    auto const fail = [&](std::string_view reason) {
        source.fail(location, "numbers", quoted{word}, " ", reason);
    };
    bool const is_plain = word.back() != '_' && word.find("__") == std::string_view::npos;
    int base = 10;
    std::string_view text = digits;
    if (text.size() > 1 && text[0] == '0') {
        constexpr std::string_view marks = "xXoObB";
        if (auto const mark = marks.find(text[1]); mark != std::string_view::npos) {
            base = mark < 2 ? 16 : mark < 4 ? 8 : 2;
            text.remove_prefix(2);
        }
    }
    auto const* const last = text.data() + text.size();
    std::int64_t integer = 0;
    auto const [end, status] = std::from_chars(text.data(), last, integer, base);
    if (is_plain && end == last && !text.empty()) {
        bool const has_zeros = base == 10 && text.size() > 1 && text[0] == '0';
        if (has_zeros && integer != 0) fail("begins with a zero: an octal number begins with 0o");
        if (status == std::errc()) return integer;
        fail("is larger than the largest intp");
    }
    bool const is_imaginary = base == 10 && (text.back() == 'j' || text.back() == 'J');
    if (is_imaginary) text.remove_suffix(1);
    double real = 0;
    auto const* const real_last = text.data() + text.size();
    auto const [real_end, real_status] = std::from_chars(text.data(), real_last, real);
    if (!is_plain || base != 10 || real_end != real_last || text.empty()) fail("is no number");
    if (real_status != std::errc()) fail("is beyond what a float64 holds");
    if (is_imaginary) return std::complex<double>(0, real);
    return real;
}

std::vector<token> tokens_of(source_text const& source, span part) {
    return lexer(source, part).tokens();
}

} // namespace spio::cuda_python
