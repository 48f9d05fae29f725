// Reads expressions of CUDA Python, a statically typed Python, by recursive descent.
// SPDX-License-Identifier: Apache-2.0
//
// A token is a word, number or sign of the text. A node of the tree owns the nodes below it, its
// parts; its form is what it is, such as a call. read_… reads what its name says, from the next
// token on; accept() takes the next token if it is this one, expect() refuses any other. The
// precedence of an operator says how tightly it binds: * before +.
module;

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
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
inline constexpr std::string_view reserved[] = {
    "False", "None",     "True",   "and",   "as",     "assert", "async",  "await",  "break",
    "class", "continue", "def",    "del",   "elif",   "else",   "except", "exec",   "finally",
    "for",   "from",     "global", "if",    "import", "in",     "is",     "lambda", "nonlocal",
    "not",   "or",       "pass",   "raise", "return", "try",    "while",  "with",   "yield"};

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
        refuse_next_if(!is_next(token_kind::end),
                       "syntax: expected the end of the text and not '%'");
        return value;
    }

  protected:
    span here() const { return tokens[number].location; }
    std::string_view word() const { return text->text(here()); } // a string's begins with a quote
    bool is_next(token_kind kind) const { return tokens[number].kind == kind; }
    bool is_next(std::string_view sign_or_keyword) const { return word() == sign_or_keyword; }
    bool is_any_next(std::initializer_list<std::string_view> list) const {
        return std::ranges::find(list, word()) != list.end();
    }
    bool is_reserved() const { return std::ranges::find(reserved, word()) != std::end(reserved); }
    // Refuses the next token, which is the word of the message.
    void refuse_next_if(bool is_wrong, std::string_view message) const {
        refuse_if(is_wrong, here(), message, word());
    }
    // The same, where `expected` should be.
    void refuse_next(std::string const& expected) const {
        bool const is_end = is_next(token_kind::newline) || is_next(token_kind::end);
        refuse_if(true, here(), "syntax: expected % and not %", expected,
                  is_end ? "the end of the line" : in_quotes(word()));
    }
    std::string_view advance() {
        last_end = here().end;
        return text->text(tokens[number++].location);
    }
    // Advances past the next token if it is this one; returns whether it is.
    bool accept(auto sign_or_kind) {
        bool const is_here = is_next(sign_or_kind);
        if (is_here) advance();
        return is_here;
    }
    void expect(std::string_view sign_or_keyword) {
        if (!accept(sign_or_keyword)) refuse_next("'" + std::string(sign_or_keyword) + "'");
    }
    std::string_view expect_name(std::string_view purpose) {
        refuse_if(!is_next(token_kind::name) || is_reserved(), here(),
                  "syntax: expected % and not '%'", purpose, word());
        return advance();
    }
    // Calls read_part() for the parts of a list up to a bracket, with commas between.
    void read_parts(std::string_view closing, auto read_part) {
        while (!is_next(closing)) {
            read_part();
            if (!accept(",")) break;
        }
        expect(closing);
    }

    // An expression without commas.
    node read() {
        auto value = read_binary(1);
        refuse_next_if(is_next("if"), "operators: there are no conditional expressions");
        refuse_next_if(is_any_next({"in", "is", "not", "**", "@", ":="}),
                       "operators: '%' is no operator of CUDA Python");
        return value;
    }
    // An expression; a tuple if there are commas.
    node read_list() {
        auto const begin = here().begin;
        auto parts = list_of(read());
        if (!is_next(",")) return std::move(parts[0]);
        while (accept(",")) {
            if (is_next(token_kind::newline) || is_any_next({"=", ")", ";", "]"})) break;
            parts.push_back(read());
        }
        return made(form::tuple, begin, std::move(parts));
    }

  private:
    std::vector<token> tokens;
    std::size_t number = 0;   // of the next token
    int depth = 0;            // of the calls that are open
    std::size_t last_end = 0; // of the token before the next

    // An expression that ends where the next token begins.
    node made(form form, std::size_t begin, std::vector<node> parts = {},
              std::string_view word = {}) {
        node result = {form, {begin, last_end}};
        for (auto const& part : parts) result.height = std::max(result.height, part.height + 1);
        refuse_if(result.height > greatest_depth, result, nesting_message);
        result.parts = std::move(parts);
        result.word = word;
        return result;
    }
    node made(operation operation, std::size_t begin, std::vector<node> operands) {
        auto result = made(form::operation, begin, std::move(operands));
        result.number = static_cast<int>(operation);
        return result;
    }

    // The operation of two operands that comes next, if it binds as tightly as this.
    std::optional<operation> operation_here(int precedence) const {
        auto const found = operation_named(word(), /*is_binary=*/true);
        return found && entry_of(*found).precedence >= precedence ? found : std::nullopt;
    }
    // Reads operations that bind at least as tightly as this precedence.
    node read_binary(int precedence) {
        level const guard(*this, depth, greatest_depth, here(), nesting_message);
        auto const begin = here().begin;
        bool const is_negated = precedence <= not_precedence && accept("not");
        auto left = is_negated ? made("not"_unary, begin, list_of(read_binary(not_precedence)))
                               : read_unary();
        while (auto const operation = operation_here(precedence)) {
            advance();
            int const level = entry_of(*operation).precedence;
            auto right = read_binary(level + 1);
            refuse_next_if(level == comparison_precedence && operation_here(level),
                           "operators: comparisons are not chained: write 'a < b and b < c'");
            left = made(*operation, begin, list_of(std::move(left), std::move(right)));
        }
        return left;
    }
    node read_unary() {
        level const guard(*this, depth, greatest_depth, here(), nesting_message);
        auto const begin = here().begin;
        auto const operation = operation_named(word(), /*is_binary=*/false);
        if (!operation || *operation == "not"_unary) return read_primary();
        advance();
        return made(*operation, begin, list_of(read_unary()));
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
                value = read_arguments(begin, std::move(value));
            } else if (accept("[")) {
                value = read_indices(begin, std::move(value));
            } else {
                return value;
            }
        }
    }
    // Reads the arguments of a call; `begin` is where the callee began.
    node read_arguments(std::size_t begin, node callee) {
        auto parts = list_of(std::move(callee));
        read_parts(")", [&] {
            auto const name = here();
            auto value = read();
            bool const has_name = is_next("=");
            refuse_next_if(has_name && value.form != form::name,
                           "syntax: a keyword argument begins with its name");
            refuse_if(!has_name && !parts.back().keyword.empty(), name,
                      "syntax: an argument without a name follows one with a name");
            if (accept("=")) {
                value = read();
                value.keyword = text->text(name);
            }
            parts.push_back(std::move(value));
        });
        return made(form::call, begin, std::move(parts));
    }
    node read_indices(std::size_t begin, node object) {
        auto parts = list_of(std::move(object));
        refuse_next_if(is_next("]"), "syntax: expected an index");
        read_parts("]", [&] {
            auto const first = here().begin;
            bool const is_slice = accept(":");
            parts.push_back(is_slice ? made(form::slice, first) : read());
            refuse_next_if(is_slice ? !is_any_next({"]", ","}) : is_next(":"),
                           "arrays: there are no slices");
        });
        return made(form::subscript, begin, std::move(parts));
    }
    node read_atom() {
        auto const place = here();
        if (is_next(token_kind::string)) {
            auto spelled = advance();
            spelled.remove_prefix(spelled.find_first_of("\"'"));
            std::size_t const size = spelled.size() >= 6 && spelled[1] == spelled[0] ? 3 : 1;
            spelled = spelled.substr(size, spelled.size() - 2 * size);
            return made(form::text, place.begin, /*parts=*/{}, spelled);
        }
        if (accept(token_kind::number)) return number_in(*this, place);
        if (is_any_next({"True", "False"})) {
            return constant_with(place, boolean, {advance() == "True"});
        }
        if (is_any_next({"(", "["})) {
            bool const is_list = advance() == "[";
            auto const* const closing = is_list ? "]" : ")";
            if (accept(closing)) return made(form::tuple, place.begin);
            auto value = read_list();
            refuse_next_if(is_next("for"), "syntax: there are no comprehensions");
            expect(closing);
            value.location = {place.begin, last_end};
            if (!is_list || value.form == form::tuple) return value;
            return made(form::tuple, place.begin, list_of(std::move(value)));
        }
        if (!is_next(token_kind::name) || is_reserved()) refuse_next("an expression");
        return made(form::name, place.begin, /*parts=*/{}, advance());
    }
};

} // namespace spio::cuda_python
