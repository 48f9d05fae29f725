// Reads expressions of CUDA Python, a statically typed Python, by recursive descent.
// SPDX-License-Identifier: Apache-2.0
//
// A token is a word, number or sign of the text. read_… reads what its name says, from the next
// token on; accept() takes the next token if it is this one, expect() refuses any other; a keyword
// is a reserved word, a sign an operator or bracket.
module;

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python:expressions;

import :tree;
import :types;

namespace spio::cuda_python {

inline constexpr int not_precedence = 3, comparison_precedence = 4;
inline constexpr auto nesting_message = "nesting: an expression is nested more than 100 deep";
inline constexpr auto reserved = std::to_array<std::string_view>(
    {"False", "None",     "True",   "and",   "as",     "assert", "async",  "await",  "break",
     "class", "continue", "def",    "del",   "elif",   "else",   "except", "exec",   "finally",
     "for",   "from",     "global", "if",    "import", "in",     "is",     "lambda", "nonlocal",
     "not",   "or",       "pass",   "raise", "return", "try",    "while",  "with",   "yield"});

// The operation of two operands, or of one, that a sign stands for.
inline std::optional<operation> operation_named(std::string_view sign, bool is_binary) {
    auto const found = std::ranges::find_if(operations, [&](operation_entry const& entry) {
        return entry.sign == sign && (entry.precedence > 0) == is_binary;
    });
    if (found == operations.end()) return {};
    return static_cast<operation>(found - operations.begin());
}

class expression_parser : protected reader {
  public:
    expression_parser(source_text const& text, span part)
        : reader{&text}, tokens(tokens_of(text, part)) {}

    // The one expression of a text, which may stand in a line of its own.
    node read_whole() {
        accept(token_kind::indent);
        auto value = read_list();
        accept(token_kind::newline);
        accept(token_kind::dedent);
        refuse_if(next().kind != token_kind::end, here(),
                  "syntax: expected the end of the text and not %", quoted{word()});
        return value;
    }

  protected:
    token const& next() const { return tokens[number]; }
    span here() const { return next().location; }
    std::string_view word() const { return text->text(here()); }
    // Whether the next token is this sign or keyword.
    bool is_next(std::string_view sign_or_keyword) const {
        return (next().kind == token_kind::sign || next().kind == token_kind::name) &&
               word() == sign_or_keyword;
    }
    bool is_any_next(std::initializer_list<std::string_view> list) const {
        return std::ranges::any_of(list, [&](auto candidate) { return is_next(candidate); });
    }
    bool is_reserved() const {
        return next().kind == token_kind::name &&
               std::ranges::find(reserved, word()) != reserved.end();
    }
    std::string next_words() const { // for messages
        bool const is_end = next().kind == token_kind::newline || next().kind == token_kind::end;
        return is_end ? "the end of the line" : in_quotes(word());
    }
    std::string_view advance() {
        last_end = here().end;
        return text->text(tokens[number++].location);
    }
    bool accept(std::string_view sign_or_keyword) {
        bool const is_here = is_next(sign_or_keyword);
        if (is_here) advance();
        return is_here;
    }
    bool accept(token_kind kind) {
        bool const is_here = next().kind == kind;
        if (is_here) advance();
        return is_here;
    }
    void expect(std::string_view sign_or_keyword) {
        if (accept(sign_or_keyword)) return;
        fail(here(), "syntax: expected '%' and not %", sign_or_keyword, next_words());
    }
    std::string_view expect_name(std::string_view purpose) {
        refuse_if(next().kind != token_kind::name || is_reserved(), here(),
                  "syntax: expected % and not %", purpose, quoted{word()});
        return advance();
    }
    // Calls read_part() for the parts of a list up to a bracket, with commas between.
    template <class F> void read_parts(std::string_view closing, F read_part) {
        while (!is_next(closing) && next().kind != token_kind::end) {
            read_part();
            if (!accept(",")) break;
        }
    }

    // An expression without commas.
    node read() {
        auto value = read_binary(1);
        refuse_if(is_next("if"), here(), "operators: there are no conditional expressions");
        refuse_if(is_any_next({"in", "is", "not", "**", "@", ":="}), here(),
                  "operators: % is no operator of CUDA Python", quoted{word()});
        return value;
    }
    // An expression; a tuple if there are commas.
    node read_list() {
        auto const begin = here().begin;
        auto parts = list_of(read());
        if (!is_next(",")) return std::move(parts[0]);
        while (accept(",")) {
            bool const is_end = next().kind == token_kind::newline;
            if (is_end || is_any_next({"=", ")", ";", "]"})) break;
            parts.push_back(read());
        }
        return made(form::tuple, begin, std::move(parts));
    }

  private:
    std::vector<token> tokens;
    std::size_t number = 0;
    int depth = 0;         // of the calls that are open
    unsigned last_end = 0; // of the token before the next

    // An expression that ends where the next token begins.
    node made(form form, unsigned begin, std::vector<node> parts = {}, std::string_view word = {}) {
        node result = {form, {begin, last_end}};
        for (auto const& part : parts) result.height = std::max(result.height, part.height + 1);
        refuse_if(result.height > greatest_depth, result.location, nesting_message);
        result.parts = std::move(parts);
        result.word = word;
        return result;
    }
    node operation_of(operation operation, unsigned begin, std::vector<node> operands) {
        auto result = made(form::operation, begin, std::move(operands));
        result.number = static_cast<int>(operation);
        return result;
    }

    // The operation of two operands that comes next, if it binds as tightly as this.
    std::optional<operation> operation_here(int precedence) const {
        bool const is_word = next().kind == token_kind::sign || next().kind == token_kind::name;
        auto const found = is_word ? operation_named(word(), true) : std::nullopt;
        return found && entry_of(*found).precedence >= precedence ? found : std::nullopt;
    }
    node read_binary(int precedence) {
        level const guard(depth);
        refuse_if(depth > greatest_depth, here(), nesting_message);
        auto const begin = here().begin;
        bool const is_negated = precedence <= not_precedence && accept("not");
        auto left = is_negated ? operation_of(operation::logical_not, begin,
                                              list_of(read_binary(not_precedence)))
                               : read_unary();
        while (auto const operation = operation_here(precedence)) {
            advance();
            int const level = entry_of(*operation).precedence;
            auto right = read_binary(level + 1);
            refuse_if(level == comparison_precedence && operation_here(level), here(),
                      "operators: comparisons are not chained: write 'a < b and b < c'");
            left = operation_of(*operation, begin, list_of(std::move(left), std::move(right)));
        }
        return left;
    }
    node read_unary() {
        level const guard(depth);
        refuse_if(depth > greatest_depth, here(), nesting_message);
        auto const begin = here().begin;
        auto const operation = operation_named(word(), false);
        if (!operation || next().kind != token_kind::sign) return read_primary();
        advance();
        return operation_of(*operation, begin, list_of(read_unary()));
    }
    // An atom, and what is read, called or taken of it.
    node read_primary() {
        auto const begin = here().begin;
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
    std::vector<node> read_arguments(node callee) {
        auto parts = list_of(std::move(callee));
        read_parts(")", [&] {
            auto const begin = here();
            auto value = read();
            bool const has_name = is_next("=");
            refuse_if(has_name && value.form != form::name, here(),
                      "syntax: a keyword argument begins with its name");
            refuse_if(!has_name && !parts.back().keyword.empty(), begin,
                      "syntax: an argument without a name follows one with a name");
            if (accept("=")) {
                value = read();
                value.keyword = text->text(begin);
            }
            parts.push_back(std::move(value));
        });
        expect(")");
        return parts;
    }
    std::vector<node> read_indices(node object) {
        auto parts = list_of(std::move(object));
        read_parts("]", [&] {
            auto const begin = here().begin;
            bool const is_slice = accept(":");
            parts.push_back(is_slice ? made(form::slice, begin) : read());
            refuse_if(is_slice ? !is_any_next({"]", ","}) : is_next(":"), here(),
                      "arrays: there are no slices");
        });
        refuse_if(parts.size() == 1, here(), "syntax: expected an index");
        expect("]");
        return parts;
    }
    node read_atom() {
        auto const [kind, location] = next();
        if (kind == token_kind::string) {
            auto spelled = advance();
            spelled.remove_prefix(spelled.find_first_of("\"'"));
            std::size_t const size = spelled.size() >= 6 && spelled[1] == spelled[0] ? 3 : 1;
            return made(form::text, location.begin, {},
                        spelled.substr(size, spelled.size() - 2 * size));
        }
        if (kind == token_kind::number) {
            advance();
            return number_in(*this, location);
        }
        if (is_any_next({"True", "False"})) {
            return constant_with(location, boolean, {advance() == "True"});
        }
        if (is_any_next({"(", "["})) {
            bool const is_list = advance() == "[";
            auto const* const closing = is_list ? "]" : ")";
            if (accept(closing)) return made(form::tuple, location.begin);
            auto value = read_list();
            refuse_if(is_next("for"), here(), "syntax: there are no comprehensions");
            expect(closing);
            value.location = {location.begin, last_end};
            if (!is_list || value.form == form::tuple) return value;
            return made(form::tuple, location.begin, list_of(std::move(value)));
        }
        refuse_if(kind != token_kind::name || is_reserved(), here(),
                  "syntax: expected an expression and not %", next_words());
        auto const name = advance();
        return made(form::name, location.begin, {}, name);
    }
};

} // namespace spio::cuda_python
