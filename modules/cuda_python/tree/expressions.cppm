// Reads expressions of CUDA Python, a statically typed Python, by recursive descent.
// SPDX-License-Identifier: Apache-2.0
//
// A token is a word, number or sign of the text. read_… reads what its name says, from the next
// token on; accept() takes the next token if it is this one, expect() refuses any other; a keyword
// is a reserved word, a sign an operator or bracket.
module;

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

module spio.cuda_python:expressions;

import :syntax;
import :types;

namespace spio::cuda_python {

inline constexpr int not_precedence = 3, comparison_precedence = 4;
inline constexpr auto nesting_message = "an expression is nested more than 100 deep";
inline constexpr auto reserved = std::to_array<std::string_view>(
    {"False", "None",     "True",   "and",   "as",     "assert", "async",  "await",  "break",
     "class", "continue", "def",    "del",   "elif",   "else",   "except", "exec",   "finally",
     "for",   "from",     "global", "if",    "import", "in",     "is",     "lambda", "nonlocal",
     "not",   "or",       "pass",   "raise", "return", "try",    "while",  "with",   "yield"});

// The operation of two operands, or of one, that a sign stands for.
inline std::optional<operation> operation_named(std::string_view sign, bool is_binary) {
    for (std::size_t i = 0; i < operations.size(); ++i) {
        bool const is_here =
            operations[i].sign == sign && (operations[i].precedence > 0) == is_binary;
        if (is_here) return static_cast<operation>(i);
    }
    return {};
}

class expression_parser {
  public:
    expression_parser(source_text const& text, span part)
        : text(text), tokens(tokens_of(text, part)) {}

    // The one expression of a text, which may stand in a line of its own.
    expression read_whole() {
        accept(token_kind::indent);
        auto value = read_list();
        accept(token_kind::newline);
        accept(token_kind::dedent);
        refuse_if(next().kind != token_kind::end, "syntax", "expected the end of the text and not ",
                  quoted{word()});
        return value;
    }

  protected:
    source_text const& text;

    token const& next() const { return tokens[number]; }
    std::string_view word() const { return text.text(next().location); }
    bool is_sign(std::string_view sign) const {
        return next().kind == token_kind::sign && word() == sign;
    }
    bool is_keyword(std::string_view keyword) const {
        return next().kind == token_kind::name && word() == keyword;
    }
    bool is_reserved() const {
        return next().kind == token_kind::name &&
               std::ranges::find(reserved, word()) != reserved.end();
    }
    std::string_view advance() {
        last_end = next().location.end;
        return text.text(tokens[number++].location);
    }
    bool accept(std::string_view sign_or_keyword) {
        bool const is_next = is_sign(sign_or_keyword) || is_keyword(sign_or_keyword);
        if (is_next) advance();
        return is_next;
    }
    bool accept(token_kind kind) {
        bool const is_next = next().kind == kind;
        if (is_next) advance();
        return is_next;
    }
    void expect(std::string_view sign_or_keyword) {
        if (accept(sign_or_keyword)) return;
        bool const is_end = next().kind == token_kind::newline || next().kind == token_kind::end;
        fail("syntax", "expected '", sign_or_keyword, "' and not ",
             is_end ? "the end of the line" : in_quotes(word()));
    }
    std::string_view expect_name(std::string_view purpose) {
        refuse_if(next().kind != token_kind::name || is_reserved(), "syntax", "expected ", purpose,
                  " and not ", quoted{word()});
        return advance();
    }
    // Whether a list in brackets goes on.
    bool has_more(std::string_view closing) const {
        return !is_sign(closing) && next().kind != token_kind::end;
    }
    // As those of source_text, for the next token.
    template <class... Words>
    [[noreturn]] void fail(std::string_view rule, Words const&... words) const {
        text.fail(next().location, rule, words...);
    }
    template <class... Words>
    void refuse_if(bool is_wrong, std::string_view rule, Words const&... words) const {
        if (is_wrong) fail(rule, words...);
    }

    // An expression without commas.
    expression read() {
        auto value = read_binary(1);
        refuse_if(is_keyword("if"), "operators", "there are no conditional expressions");
        for (auto const* other : {"in", "is", "not", "**", "@", ":="}) {
            if (!is_keyword(other) && !is_sign(other)) continue;
            fail("operators", quoted{word()}, " is no operator of CUDA Python");
        }
        return value;
    }
    // An expression; a tuple if there are commas.
    expression read_list() {
        auto const begin = next().location.begin;
        auto parts = list_of(read());
        if (!is_sign(",")) return std::move(parts[0]);
        while (accept(",")) {
            bool const is_end = next().kind == token_kind::newline || is_sign("=") ||
                                is_sign(")") || is_sign(";") || is_sign("]");
            if (is_end) break;
            parts.push_back(read());
        }
        return made(form::tuple, begin, std::move(parts));
    }

  private:
    std::vector<token> tokens;
    std::size_t number = 0;
    int depth = 0;         // of the calls that are open
    unsigned last_end = 0; // of the token before the next

    struct level {
        int& depth;
        explicit level(expression_parser& parser) : depth(parser.depth) {
            if (++depth > greatest_depth) parser.fail("nesting", nesting_message);
        }
        level(level const&) = delete;
        ~level() { --depth; }
    };

    // An expression that ends where the next token begins.
    expression made(form form, unsigned begin, std::vector<expression> parts = {},
                    std::string_view word = {}) {
        expression result = {form, {begin, last_end}, word};
        for (auto const& part : parts) result.height = std::max(result.height, part.height + 1);
        text.refuse_if(result.height > greatest_depth, result.location, "nesting", nesting_message);
        result.parts = std::move(parts);
        return result;
    }
    expression operation_of(operation operation, unsigned begin, std::vector<expression> operands) {
        auto result = made(form::operation, begin, std::move(operands));
        result.operation = operation;
        return result;
    }

    // The operation of two operands that comes next, if it binds as tightly as this.
    std::optional<operation> operation_here(int precedence) const {
        bool const is_word = next().kind == token_kind::sign || next().kind == token_kind::name;
        auto const found = is_word ? operation_named(word(), true) : std::nullopt;
        return found && entry_of(*found).precedence >= precedence ? found : std::nullopt;
    }
    expression read_binary(int precedence) {
        level const guard(*this);
        auto const begin = next().location.begin;
        expression left;
        if (is_keyword("not") && precedence <= not_precedence) {
            advance();
            left =
                operation_of(operation::logical_not, begin, list_of(read_binary(not_precedence)));
        } else {
            left = read_unary();
        }
        while (auto const operation = operation_here(precedence)) {
            advance();
            int const level = entry_of(*operation).precedence;
            auto right = read_binary(level + 1);
            refuse_if(level == comparison_precedence && operation_here(level), "operators",
                      "comparisons are not chained: write 'a < b and b < c'");
            left = operation_of(*operation, begin, list_of(std::move(left), std::move(right)));
        }
        return left;
    }
    expression read_unary() {
        level const guard(*this);
        auto const begin = next().location.begin;
        auto const operation = operation_named(word(), false);
        if (!operation || next().kind != token_kind::sign) return read_primary();
        advance();
        return operation_of(*operation, begin, list_of(read_unary()));
    }
    // An atom, and what is read, called or taken of it.
    expression read_primary() {
        auto const begin = next().location.begin;
        auto value = read_atom();
        while (true) {
            if (accept(".")) {
                auto const name = expect_name("the name of an attribute");
                value = made(form::attribute, begin, list_of(std::move(value)), name);
            } else if (accept("(")) {
                value = made(form::call, begin, read_arguments(std::move(value)));
            } else if (accept("[")) {
                value = made(form::subscript, begin, read_indices(std::move(value)));
            } else {
                return value;
            }
        }
    }
    std::vector<expression> read_arguments(expression callee) {
        auto parts = list_of(std::move(callee));
        while (has_more(")")) {
            auto const begin = next().location;
            auto value = read();
            if (is_sign("=")) {
                refuse_if(value.form != form::name, "syntax",
                          "a keyword argument begins with its name");
                advance();
                value = read();
                value.keyword = text.text(begin);
            } else if (!parts.back().keyword.empty()) {
                text.fail(begin, "syntax", "an argument without a name follows one with a name");
            }
            parts.push_back(std::move(value));
            if (!accept(",")) break;
        }
        expect(")");
        return parts;
    }
    std::vector<expression> read_indices(expression object) {
        auto parts = list_of(std::move(object));
        while (has_more("]")) {
            auto const begin = next().location.begin;
            bool const is_slice = accept(":");
            parts.push_back(is_slice ? made(form::slice, begin) : read());
            bool const goes_on = is_slice ? !is_sign("]") && !is_sign(",") : is_sign(":");
            refuse_if(goes_on, "arrays", "there are no slices");
            if (!accept(",")) break;
        }
        refuse_if(parts.size() == 1, "syntax", "expected an index");
        expect("]");
        return parts;
    }
    expression read_atom() {
        auto const [kind, location] = next();
        if (kind == token_kind::string) {
            auto literal = advance();
            literal.remove_prefix(literal.find_first_of("\"'"));
            std::size_t const size = literal.size() >= 6 && literal[1] == literal[0] ? 3 : 1;
            return made(form::text, location.begin, {},
                        literal.substr(size, literal.size() - 2 * size));
        }
        if (kind == token_kind::number || is_keyword("True") || is_keyword("False")) {
            auto const spelled = advance();
            auto result = made(form::literal, location.begin);
            result.number =
                kind == token_kind::number ? constant_of(text, location) : spelled == "True";
            return result;
        }
        if (is_sign("(") || is_sign("[")) {
            bool const is_list = advance() == "[";
            auto const closing = is_list ? "]" : ")";
            if (accept(closing)) return made(form::tuple, location.begin);
            auto value = read_list();
            refuse_if(is_keyword("for"), "syntax", "there are no comprehensions");
            expect(closing);
            value.location = {location.begin, last_end};
            if (!is_list || value.form == form::tuple) return value;
            return made(form::tuple, location.begin, list_of(std::move(value)));
        }
        if (kind == token_kind::name && !is_reserved()) {
            return made(form::name, location.begin, {}, advance());
        }
        bool const is_end = kind == token_kind::newline || kind == token_kind::end;
        fail("syntax", "expected an expression and not ",
             is_end ? "the end of the line" : in_quotes(word()));
    }
};

} // namespace spio::cuda_python
