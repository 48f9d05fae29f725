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

constexpr std::size_t greatest_size = std::size_t(1) << 26;

constexpr auto signs = std::to_array<std::string_view>(
    {"**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==",
     "!=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "@=", ":=",
     "+",   "-",   "*",   "/",   "%",   "&",  "|",  "^",  "~",  "<",  ">",  "=",
     "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "@"});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads the tokens of a text in one pass.
class lexer {
  public:
    explicit lexer(source_text const& source) : source(source), text(source.source.text) {}

    std::vector<token> tokens() {
        while (position < text.size()) {
            if (is_line_start && brackets.empty() && !read_indentation()) continue;
            read_token();
        }
        if (!brackets.empty()) fail(brackets.back(), "this bracket is never closed");
        if (!is_line_start) add(token_kind::newline, position);
        for (; !indentations.empty(); indentations.pop_back()) add(token_kind::dedent, position);
        add(token_kind::end, position);
        return std::move(list);
    }

  private:
    // The blanks before a line: the column that they reach with tabs to multiples of 8, and how
    // many characters they are. An inner block has more of both.
    struct indentation {
        int columns, characters;
        friend bool operator==(indentation, indentation) = default;
    };

    source_text const& source;
    std::string_view text;
    std::size_t position = 0;
    bool is_line_start = true;
    std::vector<token> list;
    std::vector<std::size_t> brackets; // open ones
    std::vector<indentation> indentations;

    [[noreturn]] void fail(std::size_t location, std::string message) const {
        auto const begin = static_cast<unsigned>(location);
        source.fail({begin, begin + 1}, "text", std::move(message));
    }
    char peek(std::size_t ahead = 0) const {
        return position + ahead < text.size() ? text[position + ahead] : '\n';
    }
    void add(token_kind kind, std::size_t begin) {
        list.push_back({kind, {static_cast<unsigned>(begin), static_cast<unsigned>(position)}});
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
        auto const outer = [&] {
            return indentations.empty() ? indentation() : indentations.back();
        };
        if (now.columns > outer().columns && now.characters > outer().characters) {
            if (indentations.size() >= greatest_depth) {
                source.fail({static_cast<unsigned>(begin), static_cast<unsigned>(position)},
                            "nesting", "blocks are nested more than 100 deep");
            }
            indentations.push_back(now);
            add(token_kind::indent, begin);
            return true;
        }
        while (now.columns < outer().columns) {
            indentations.pop_back();
            add(token_kind::dedent, position);
        }
        if (now != outer()) fail(position, "this indentation is that of no enclosing block");
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

constant constant_of(source_text const& source, span location) {
    auto const word = source.text(location);
    std::string digits;
    std::ranges::copy_if(word, std::back_inserter(digits), [](char c) { return c != '_'; });
    auto const fail = [&](std::string reason) {
        source.fail(location, "numbers", in_quotes(word) + " " + std::move(reason));
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
        if (status == std::errc()) return {integer};
        fail("is larger than the largest intp");
    }
    bool const is_imaginary = base == 10 && (text.back() == 'j' || text.back() == 'J');
    if (is_imaginary) text.remove_suffix(1);
    double real = 0;
    auto const* const real_last = text.data() + text.size();
    auto const [real_end, real_status] = std::from_chars(text.data(), real_last, real);
    if (!is_plain || base != 10 || real_end != real_last || text.empty()) fail("is no number");
    if (real_status != std::errc()) fail("is beyond what a float64 holds");
    if (is_imaginary) return {std::complex<double>(0, real)};
    return {real};
}

std::vector<token> tokens_of(source_text const& source) { return lexer(source).tokens(); }

source_text::source_text(cuda_python::source text)
    : source(std::move(text)),
      parts{{0, source.name, source.first_line, source.first_column, 0}},
      line_begins{0} {
    if (source.text.size() > greatest_size) {
        fail({}, "text", "a text has at most 64 MiB");
    }
    for (std::size_t i = 0; i < source.text.size(); ++i) {
        if (source.text[i] == '\n') line_begins.push_back(static_cast<unsigned>(i + 1));
    }
}

text_part const& source_text::part_of(span location) const {
    return *std::prev(std::ranges::upper_bound(parts, location.begin, {}, &text_part::begin));
}

position source_text::position_of(span location) const {
    auto const& part = part_of(location);
    auto const number_of = [&](unsigned offset) {
        return std::ranges::upper_bound(line_begins, offset) - line_begins.begin();
    };
    auto const number = number_of(location.begin);
    auto const begin = static_cast<std::size_t>(line_begins[static_cast<std::size_t>(number) - 1]);
    auto const end = std::min(source.text.find('\n', begin), source.text.size());
    auto const mark = location.begin - begin;
    // Of a long line, what is around the mark.
    constexpr std::size_t margin = 60;
    auto const skipped = mark > margin ? mark - margin : 0;
    auto const size = std::min(end - begin - std::min(skipped, end - begin), 2 * margin);
    return {.file = part.file,
            .line = part.first_line + static_cast<int>(number - number_of(part.begin)),
            .column = part.first_column + static_cast<int>(mark),
            .text = source.text.substr(begin + std::min(skipped, end - begin), size),
            .mark = mark - skipped};
}

void source_text::fail(span location, std::string_view rule, std::string message) const {
    throw program_error(
        diagnostic{std::string(rule), std::move(message), position_of(location), {}});
}

} // namespace spio::cuda_python
