// Reads expressions of CUDA Python, a statically typed Python, by recursive descent.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

module spio.cuda_python;

import :syntax;

namespace spio::cuda_python {

namespace {

struct sign_entry {
    std::string_view sign;
    cuda_python::operation operation;
    int precedence;
};
constexpr int comparison_precedence = 4, not_precedence = 3;
constexpr auto binary_signs = std::to_array<sign_entry>({
    {"or", operation::logical_or, 1},  {"and", operation::logical_and, 2},
    {"<", operation::less, 4},         {"<=", operation::less_equal, 4},
    {">", operation::greater, 4},      {">=", operation::greater_equal, 4},
    {"==", operation::equal, 4},       {"!=", operation::not_equal, 4},
    {"|", operation::bit_or, 5},       {"^", operation::bit_xor, 6},
    {"&", operation::bit_and, 7},      {"<<", operation::shift_left, 8},
    {">>", operation::shift_right, 8}, {"+", operation::add, 9},
    {"-", operation::subtract, 9},     {"*", operation::multiply, 10},
    {"/", operation::divide, 10},      {"//", operation::floor_divide, 10},
    {"%", operation::remainder, 10},
});
constexpr auto unary_signs = std::to_array<sign_entry>(
    {{"-", operation::negate, 11}, {"+", operation::identity, 11}, {"~", operation::invert, 11}});

struct level { // counts the calls that are open
    int& depth;
    explicit level(int& counter) : depth(counter) { ++depth; }
    level(level const&) = delete;
    ~level() { --depth; }
};

constexpr auto nesting_message = "an expression is nested more than 100 deep";

} // namespace

std::string_view sign_of(operation operation) {
    if (operation == operation::logical_not) return "not";
    for (auto const& entry : binary_signs) {
        if (entry.operation == operation) return entry.sign;
    }
    return std::ranges::find(unary_signs, operation, &sign_entry::operation)->sign;
}

token expression_parser::advance() {
    last_end = next().location.end;
    return tokens[number++];
}

bool expression_parser::accept(std::string_view sign_or_keyword) {
    bool const is_next = (next().kind == token_kind::sign || next().kind == token_kind::name) &&
                         word() == sign_or_keyword;
    if (is_next) advance();
    return is_next;
}

bool expression_parser::accept(token_kind kind) {
    bool const is_next = next().kind == kind && kind != token_kind::end;
    if (is_next) advance();
    return is_next;
}

void expression_parser::expect(std::string_view sign_or_keyword) {
    if (accept(sign_or_keyword)) return;
    bool const is_end = next().kind == token_kind::newline || next().kind == token_kind::end;
    fail("syntax", "expected '" + std::string(sign_or_keyword) + "' and not " +
                       (is_end ? "the end of the line" : in_quotes(word())));
}

std::string_view expression_parser::expect_name(std::string_view purpose) {
    if (next().kind != token_kind::name || is_reserved(word())) {
        fail("syntax", "expected " + std::string(purpose) + " and not " + in_quotes(word()));
    }
    return text.text(advance().location);
}

template <class Node>
expression_ptr expression_parser::node(unsigned begin, Node node, int height_within) {
    span const location = {begin, last_end};
    if (height_within >= greatest_depth) text.fail(location, "nesting", nesting_message);
    return std::make_unique<expression>(expression{location, height_within + 1, std::move(node)});
}

expression_ptr expression_parser::read() {
    auto value = binary(1);
    if (is_keyword("if")) fail("operators", "there are no conditional expressions");
    if (is_keyword("in") || is_keyword("is") || is_keyword("not") || is_sign("**") ||
        is_sign("@") || is_sign(":=")) {
        fail("operators", in_quotes(word()) + " is no operator of CUDA Python");
    }
    return value;
}

expression_ptr expression_parser::read_list() {
    auto const begin = next().location.begin;
    auto first = read();
    if (!is_sign(",")) return first;
    int height = first->height;
    cuda_python::expression_list parts;
    parts.push_back(std::move(first));
    while (accept(",")) {
        bool const is_end = next().kind == token_kind::newline || is_sign("=") || is_sign(")") ||
                            is_sign(";") || is_sign("]");
        if (is_end) break;
        parts.push_back(read());
        height = std::max(height, parts.back()->height);
    }
    return node(begin, tuple_expression{std::move(parts)}, height);
}

operation const* expression_parser::operation_here(int precedence) const {
    if (next().kind != token_kind::sign && next().kind != token_kind::name) return nullptr;
    auto const found = std::ranges::find(binary_signs, word(), &sign_entry::sign);
    bool const is_here = found != binary_signs.end() && found->precedence >= precedence;
    return is_here ? &found->operation : nullptr;
}

expression_ptr expression_parser::binary(int precedence) {
    level const guard(depth);
    if (depth > greatest_depth) fail("nesting", nesting_message);
    auto const begin = next().location.begin;
    expression_ptr left;
    if (is_keyword("not") && precedence <= not_precedence) {
        advance();
        auto operand = binary(not_precedence);
        int const height = operand->height;
        left = node(begin, unary_expression{operation::logical_not, std::move(operand)}, height);
    } else {
        left = unary();
    }
    while (auto const* operation = operation_here(precedence)) {
        int const level =
            std::ranges::find(binary_signs, *operation, &sign_entry::operation)->precedence;
        advance();
        auto right = binary(level + 1);
        if (level == comparison_precedence && operation_here(level) && precedence <= level) {
            fail("operators", "comparisons are not chained: write 'a < b and b < c'");
        }
        int const height = std::max(left->height, right->height);
        left =
            node(begin, binary_expression{*operation, std::move(left), std::move(right)}, height);
    }
    return left;
}

expression_ptr expression_parser::unary() {
    level const guard(depth);
    if (depth > greatest_depth) fail("nesting", nesting_message);
    auto const begin = next().location.begin;
    auto const entry = std::ranges::find(unary_signs, word(), &sign_entry::sign);
    if (next().kind != token_kind::sign || entry == unary_signs.end()) return primary();
    advance();
    auto operand = unary();
    int const height = operand->height;
    return node(begin, unary_expression{entry->operation, std::move(operand)}, height);
}

expression_ptr expression_parser::primary() {
    auto const begin = next().location.begin;
    auto value = atom();
    while (true) {
        if (accept(".")) {
            auto const name = expect_name("the name of an attribute");
            int const height = value->height;
            value = node(begin, attribute_expression{std::move(value), name}, height);
        } else if (is_sign("(")) {
            value = call(std::move(value));
        } else if (is_sign("[")) {
            value = subscript(std::move(value));
        } else {
            return value;
        }
    }
}

expression_ptr expression_parser::call(expression_ptr callee) {
    advance();
    int height = callee->height;
    std::vector<argument> arguments;
    while (!is_past_end(")")) {
        argument argument;
        auto const begin = next();
        argument.value = read();
        if (is_sign("=")) {
            if (!std::holds_alternative<name_expression>(argument.value->node)) {
                fail("syntax", "a keyword argument begins with its name");
            }
            advance();
            argument.name = text.text(begin.location);
            argument.value = read();
        } else if (!arguments.empty() && !arguments.back().name.empty()) {
            text.fail(begin.location, "syntax",
                      "an argument without a name follows one with a name");
        }
        height = std::max(height, argument.value->height);
        arguments.push_back(std::move(argument));
        if (!accept(",")) break;
    }
    expect(")");
    auto const begin = callee->location.begin;
    return node(begin, call_expression{std::move(callee), std::move(arguments)}, height);
}

expression_ptr expression_parser::subscript(expression_ptr object) {
    advance();
    int height = object->height;
    cuda_python::expression_list indices;
    while (!is_past_end("]")) {
        auto const begin = next().location.begin;
        if (accept(":")) {
            if (!is_sign("]") && !is_sign(",")) fail("arrays", "there are no slices");
            indices.push_back(node(begin, slice_expression{}, 0));
        } else {
            indices.push_back(read());
            if (is_sign(":")) fail("arrays", "there are no slices");
        }
        height = std::max(height, indices.back()->height);
        if (!accept(",")) break;
    }
    if (indices.empty()) fail("syntax", "expected an index");
    expect("]");
    auto const begin = object->location.begin;
    return node(begin, subscript_expression{std::move(object), std::move(indices)}, height);
}

expression_ptr expression_parser::atom() {
    auto const begin = next().location.begin;
    if (next().kind == token_kind::number) {
        auto const location = advance().location;
        return node(begin, constant_of(text, location), 0);
    }
    if (next().kind == token_kind::string) {
        auto literal = word();
        literal.remove_prefix(literal.find_first_of("\"'"));
        std::size_t const size = literal.size() >= 6 && literal[1] == literal[0] ? 3 : 1;
        advance();
        return node(begin, string_expression{literal.substr(size, literal.size() - 2 * size)}, 0);
    }
    if (accept("True")) return node(begin, constant{true}, 0);
    if (accept("False")) return node(begin, constant{false}, 0);
    if (is_sign("(") || is_sign("[")) {
        bool const is_list = is_sign("[");
        auto const closing = is_list ? "]" : ")";
        advance();
        if (accept(closing)) return node(begin, tuple_expression{}, 0);
        auto value = read_list();
        if (is_keyword("for")) fail("syntax", "there are no comprehensions");
        expect(closing);
        value->location = {begin, last_end};
        if (!is_list || std::holds_alternative<tuple_expression>(value->node)) return value;
        int const height = value->height;
        tuple_expression list;
        list.parts.push_back(std::move(value));
        return node(begin, std::move(list), height);
    }
    if (next().kind == token_kind::name && !is_reserved(word())) {
        auto const name = text.text(advance().location);
        return node(begin, name_expression{name}, 0);
    }
    if (next().kind == token_kind::newline || next().kind == token_kind::end) {
        fail("syntax", "expected an expression and not the end of the line");
    }
    fail("syntax", "expected an expression and not " + in_quotes(word()));
}

expression_ptr parse_expression(source_text const& text) {
    expression_parser parser(text);
    parser.accept(token_kind::indent);
    auto value = parser.read_list();
    parser.accept(token_kind::newline);
    parser.accept(token_kind::dedent);
    if (parser.next().kind != token_kind::end) {
        parser.fail("syntax", "expected the end of the text and not " + in_quotes(parser.word()));
    }
    return value;
}

} // namespace spio::cuda_python
