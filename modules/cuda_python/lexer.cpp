// Tokens of a text, indentation among them, and the numbers that they spell.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A token is a word,
// number or sign of the text, the end of a line, or the begin or end of an indented block, which
// are called indent and dedent; a span is a place in the text.
module;

#include <algorithm>
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

// A sign stands before those that it begins with.
constexpr std::string_view signs[] = {
    "**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==",
    "!=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "@=", ":=",
    "+",   "-",   "*",   "/",   "%",   "&",  "|",  "^",  "~",  "<",  ">",  "=",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "@"};

bool is_one_of(char c, std::string_view list) { return list.find(c) != std::string_view::npos; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Reads the tokens of a part of a text in one pass.
class lexer : reader {
  public:
    lexer(source_text const& source, span part)
        : reader{&source},
          part(std::string_view(source.characters).substr(0, part.end)),
          position(part.begin) {}

    std::vector<token> tokens() {
        while (position < part.size()) is_line_start ? read_indentation() : read_token();
        if (!brackets.empty()) refuse_here(brackets.back(), "text: this bracket is never closed");
        if (!is_line_start) add(token_kind::newline, position);
        end_blocks(0);
        add(token_kind::end, position);
        return std::move(list);
    }

  private:
    // The blanks before a line: the column that they reach with tabs to multiples of 8, and how
    // many characters they are. An inner block has more of both.
    struct indentation {
        std::size_t columns = 0, characters = 0;
        friend bool operator==(indentation, indentation) = default;
    };

    std::string_view part;
    std::size_t position;
    bool is_line_start = true;
    std::vector<token> list;
    std::vector<std::size_t> brackets; // open ones
    std::vector<indentation> indentations = {{}};

    // Refuses the character at `begin`.
    void refuse_here(std::size_t begin, std::string_view message) const {
        refuse({begin, begin + 1}, message);
    }
    // The character so far ahead, or the end of a line behind the last.
    char peek(std::size_t ahead = 0) const {
        return position + ahead < part.size() ? part[position + ahead] : '\n';
    }
    void add(token_kind kind, std::size_t begin) { list.push_back({kind, {begin, position}}); }
    void skip_comment() { position = std::min(part.find('\n', position), part.size()); }

    // Ends the blocks that are indented by more columns.
    void end_blocks(std::size_t columns) {
        for (; indentations.back().columns > columns; indentations.pop_back()) {
            add(token_kind::dedent, position);
        }
    }
    // Compares a line's indentation, or skips a line without tokens.
    void read_indentation() {
        indentation now = {};
        auto const begin = position;
        for (; is_one_of(peek(), " \t\f"); ++position) {
            now.columns += peek() == '\t' ? 8 - now.columns % 8 : 1;
        }
        now.characters = position - begin;
        if (peek() == '#') skip_comment();
        is_line_start = is_one_of(peek(), "\n\r");
        auto const& outer = indentations.back();
        if (is_line_start) {
            position = std::min(position + 1, part.size()); // the last line may have no end
        } else if (now.columns > outer.columns && now.characters > outer.characters) {
            refuse_if(indentations.size() > greatest_depth, {begin, position},
                      "nesting: blocks are nested more than 100 deep");
            indentations.push_back(now);
            add(token_kind::indent, begin);
        } else {
            end_blocks(now.columns);
            if (now == indentations.back()) return;
            refuse_here(position, "text: this indentation is that of no enclosing block");
        }
    }

    void read_token() {
        auto const begin = position;
        char const c = peek();
        if (c == '#') return skip_comment();
        if (is_letter(c)) return read_name();
        if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
        if (is_one_of(c, "\"'")) return read_string(begin);
        if (c == '\\') return read_continuation();
        if (!is_one_of(c, " \t\f\r\n")) return read_sign();
        ++position;
        if (c != '\n' || !brackets.empty()) return;
        add(token_kind::newline, begin);
        is_line_start = true;
    }
    void read_continuation() {
        auto const begin = position;
        position += peek(1) == '\r' ? 3 : 2;
        if (position <= part.size() && part[position - 1] == '\n') return;
        refuse_here(begin, "text: a backslash continues a line only at its end");
    }
    void read_name() {
        auto const begin = position;
        while (is_letter(peek()) || is_digit(peek())) ++position;
        auto const word = part.substr(begin, position - begin);
        bool const is_prefix = is_one_of(peek(), "\"'") && word.size() <= 2 &&
                               word.find_first_not_of("rRbBuUfF") == std::string_view::npos;
        if (!is_prefix) return add(token_kind::name, begin);
        if (word.find_first_of("fFbB") == std::string_view::npos) return read_string(begin);
        refuse_here(begin, "text: there are no formatted strings and no bytes");
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
        std::string ending(3, peek());
        bool const is_long = part.substr(position).starts_with(ending);
        if (!is_long) ending.resize(1);
        position += ending.size();
        while (!part.substr(position).starts_with(ending)) {
            bool const is_over = position >= part.size() || (peek() == '\n' && !is_long);
            if (is_over) refuse_here(begin, "text: this string is never closed");
            position = std::min(position + (peek() == '\\' ? 2 : 1), part.size());
        }
        position += ending.size();
        add(token_kind::string, begin);
    }
    void read_sign() {
        auto const begin = position;
        bool const is_ascii = static_cast<unsigned char>(peek()) < 0x80;
        auto const* const sign = std::ranges::find_if(
            signs, [&](auto candidate) { return part.substr(position).starts_with(candidate); });
        if (sign == std::end(signs)) {
            refuse_here(begin, is_ascii ? "text: this character has no meaning here"
                                        : "text: outside of strings and comments a text is ASCII");
        }
        position += sign->size();
        add(token_kind::sign, begin);
        constexpr std::string_view pairs = "()[]{}";
        auto const bracket = pairs.find(sign->front());
        if (bracket == std::string_view::npos) return;
        if (bracket % 2 == 0) return brackets.push_back(begin);
        if (brackets.empty() || pairs[bracket - 1] != part[brackets.back()]) {
            refuse_here(begin, "text: this bracket closes none");
        }
        brackets.pop_back();
    }
};

} // namespace

node number_in(reader const& reader, span place) {
    auto const word = reader.text->text(place);
    auto const refuse_if = [&](bool is_wrong, std::string_view reason) {
        reader.refuse_if(is_wrong, place, "numbers: '%' %", word, reason);
    };
    std::string digits;
    std::ranges::copy_if(word, std::back_inserter(digits), [](char c) { return c != '_'; });
    bool const is_plain = word.back() != '_' && word.find("__") == std::string_view::npos;
    constexpr std::string_view letters = "xXoObB";
    constexpr int bases[] = {16, 8, 2};
    auto const letter = digits.starts_with('0') ? letters.find(digits[1]) : letters.npos;
    bool const has_base = letter < letters.size();
    int const base = has_base ? bases[letter / 2] : 10;
    auto const* const begin = digits.data() + (has_base ? 2 : 0);
    auto const* last = digits.data() + digits.size();
    cell value;
    auto const [end, status] = std::from_chars(begin, last, value.integer, base);
    if (is_plain && end == last && begin != last) {
        refuse_if(base == 10 && digits.size() > 1 && digits[0] == '0' && value.integer != 0,
                  "begins with a zero: an octal number begins with 0o");
        refuse_if(status != std::errc(), "is larger than the largest intp");
        return constant_with(place, intp, value);
    }
    value = {};
    bool const is_imaginary = !has_base && is_one_of(digits.back(), "jJ");
    if (is_imaginary) --last;
    auto const [real_end, real_status] =
        std::from_chars(begin, last, is_imaginary ? value.imaginary : value.real);
    refuse_if(!is_plain || has_base || real_end != last || begin == last, "is no number");
    refuse_if(real_status != std::errc(), "is beyond what a float64 holds");
    return constant_with(place, is_imaginary ? complex128 : float64, value);
}

std::vector<token> tokens_of(source_text const& source, span part) {
    return lexer(source, part).tokens();
}

} // namespace spio::cuda_python
