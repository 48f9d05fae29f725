// Tokens of a text, indentation among them, and the numbers that they spell.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A token is a word,
// number or sign of the text; a span is a place in it.
module;

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.cuda_python;

import :tree;

namespace spio::cuda_python {

namespace {

constexpr auto signs = std::to_array<std::string_view>(
    {"**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==",
     "!=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "@=", ":=",
     "+",   "-",   "*",   "/",   "%",   "&",  "|",  "^",  "~",  "<",  ">",  "=",
     "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "@"});

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_one_of(char c, std::string_view list) { return list.find(c) != std::string_view::npos; }

// Reads the tokens of a part of a text in one pass.
class lexer : reader {
  public:
    lexer(source_text const& source, span part)
        : reader{&source},
          part(std::string_view(source.source.text).substr(0, part.end)),
          position(part.begin) {}

    std::vector<token> tokens() {
        while (position < part.size()) {
            if (is_line_start && brackets.empty() && !read_indentation()) continue;
            read_token();
        }
        if (!brackets.empty()) fail_here(brackets.back(), "text: this bracket is never closed");
        if (!is_line_start) add(token_kind::newline, position);
        end_blocks(0);
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

    std::string_view part;
    std::size_t position;
    bool is_line_start = true;
    std::vector<token> list;
    std::vector<std::size_t> brackets; // open ones
    std::vector<indentation> indentations = {{}};

    static span between(std::size_t begin, std::size_t end) {
        return {static_cast<unsigned>(begin), static_cast<unsigned>(end)};
    }
    [[noreturn]] void fail_here(std::size_t place, std::string_view message) const {
        fail(between(place, place + 1), message);
    }
    char peek(std::size_t ahead = 0) const {
        return position + ahead < part.size() ? part[position + ahead] : '\n';
    }
    void add(token_kind kind, std::size_t begin) {
        list.push_back({kind, between(begin, position)});
    }
    void skip_comment() { position = std::min(part.find('\n', position), part.size()); }

    void end_blocks(int columns) {
        for (; indentations.back().columns > columns; indentations.pop_back()) {
            add(token_kind::dedent, position);
        }
    }
    // Skips a line without tokens and returns false, or compares a line's indentation.
    bool read_indentation() {
        indentation now = {};
        auto const begin = position;
        for (; is_one_of(peek(), " \t\f"); ++position) {
            now.columns = peek() == '\t' ? (now.columns / 8 + 1) * 8 : now.columns + 1;
            ++now.characters;
        }
        if (peek() == '#') skip_comment();
        if (is_one_of(peek(), "\n\r")) {
            position = std::min(position + 1, part.size()); // the last line may have no end
            return false;
        }
        is_line_start = false;
        auto const& outer = indentations.back();
        if (now.columns > outer.columns && now.characters > outer.characters) {
            refuse_if(indentations.size() > greatest_depth, between(begin, position),
                      "nesting: blocks are nested more than 100 deep");
            indentations.push_back(now);
            add(token_kind::indent, begin);
            return true;
        }
        end_blocks(now.columns);
        if (now == indentations.back()) return true;
        fail_here(position, "text: this indentation is that of no enclosing block");
    }

    void read_token() {
        auto const begin = position;
        char const c = peek();
        if (is_one_of(c, " \t\f\r")) {
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
            if (position <= part.size() && part[position - 1] == '\n') return;
            fail_here(begin, "text: a backslash continues a line only at its end");
        } else if (is_letter(c)) {
            read_name();
        } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
            read_number();
        } else if (is_one_of(c, "\"'")) {
            read_string(begin);
        } else {
            read_sign();
        }
    }
    void read_name() {
        auto const begin = position;
        while (is_letter(peek()) || is_digit(peek())) ++position;
        auto const prefix = part.substr(begin, position - begin);
        bool const is_prefix =
            prefix.size() <= 2 && prefix.find_first_not_of("rRbBuUfF") == std::string_view::npos;
        if (!is_prefix || !is_one_of(peek(), "\"'")) return add(token_kind::name, begin);
        if (prefix.find_first_of("fFbB") != std::string_view::npos) {
            fail_here(begin, "text: there are no formatted strings and no bytes");
        }
        read_string(begin);
    }
    void read_number() {
        auto const begin = position;
        bool const is_hexadecimal = peek() == '0' && is_one_of(peek(1), "xX");
        for (; is_letter(peek()) || is_digit(peek()) || peek() == '.'; ++position) {
            bool const has_exponent = is_one_of(peek(), "eE") && !is_hexadecimal;
            if (has_exponent && is_one_of(peek(1), "+-")) ++position;
        }
        add(token_kind::number, begin);
    }
    void read_string(std::size_t begin) {
        auto const quote = part.substr(position, 1);
        auto const threefold = std::string(3, quote.front());
        bool const is_long = part.substr(position).starts_with(threefold);
        auto const ending = is_long ? std::string_view(threefold) : quote;
        position += ending.size();
        while (!part.substr(position).starts_with(ending)) {
            bool const is_over = position >= part.size() || (peek() == '\n' && !is_long);
            if (is_over) fail_here(begin, "text: this string is never closed");
            position = std::min(position + (peek() == '\\' ? 2 : 1), part.size());
        }
        position += ending.size();
        add(token_kind::string, begin);
    }
    void read_sign() {
        auto const begin = position;
        auto const sign = std::ranges::find_if(
            signs, [&](auto candidate) { return part.substr(position).starts_with(candidate); });
        if (sign == signs.end()) {
            bool const is_ascii = static_cast<unsigned char>(peek()) < 0x80;
            fail_here(begin, is_ascii ? "text: this character has no meaning here"
                                      : "text: outside of strings and comments a text is ASCII");
        }
        position += sign->size();
        add(token_kind::sign, begin);
        if (is_one_of(sign->front(), "([{")) brackets.push_back(begin);
        if (!is_one_of(sign->front(), ")]}")) return;
        constexpr std::string_view pairs = "()[]{}";
        if (brackets.empty() || pairs[pairs.find(sign->front()) - 1] != part[brackets.back()]) {
            fail_here(begin, "text: this bracket closes none");
        }
        brackets.pop_back();
    }
};

} // namespace

node number_in(reader const& reader, span location) {
    auto const word = reader.text->text(location);
    auto const refuse_if = [&](bool is_wrong, std::string_view reason) {
        reader.refuse_if(is_wrong, location, "numbers: % %", quoted{word}, reason);
    };
    std::string digits;
    std::ranges::copy_if(word, std::back_inserter(digits), [](char c) { return c != '_'; });
    bool const is_plain = word.back() != '_' && word.find("__") == std::string_view::npos;
    std::string_view text = digits;
    int base = 10;
    if (text.size() > 1 && text[0] == '0' && is_one_of(text[1], "xXoObB")) {
        base = is_one_of(text[1], "xX") ? 16 : is_one_of(text[1], "oO") ? 8 : 2;
        text.remove_prefix(2);
    }
    cell value;
    auto const* const last = text.data() + text.size();
    auto const [end, status] = std::from_chars(text.data(), last, value.integer, base);
    if (is_plain && end == last && !text.empty()) {
        refuse_if(base == 10 && text.size() > 1 && text[0] == '0' && value.integer != 0,
                  "begins with a zero: an octal number begins with 0o");
        refuse_if(status != std::errc(), "is larger than the largest intp");
        return constant_with(location, intp, value);
    }
    value = {};
    bool const is_imaginary = base == 10 && is_one_of(text.back(), "jJ");
    if (is_imaginary) text.remove_suffix(1);
    auto& part = is_imaginary ? value.imaginary : value.real;
    auto const* const real_last = text.data() + text.size();
    auto const [real_end, real_status] = std::from_chars(text.data(), real_last, part);
    refuse_if(!is_plain || base != 10 || real_end != real_last || text.empty(), "is no number");
    refuse_if(real_status != std::errc(), "is beyond what a float64 holds");
    return constant_with(location, is_imaginary ? complex128 : float64, value);
}

std::vector<token> tokens_of(source_text const& source, span part) {
    return lexer(source, part).tokens();
}

} // namespace spio::cuda_python
