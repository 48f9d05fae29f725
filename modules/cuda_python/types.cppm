// Types and signatures of CUDA Python, its sources, and its errors.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A fragment is a
// part of a program that comes from one text, such as a Python function.
module;

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.cuda_python:types;

import spio.error;

export namespace spio::cuda_python {

enum class kind : unsigned char { boolean, signed_integer, unsigned_integer, real, complex };

// A type of numbers: bool, int8 to int64, uint8 to uint64, float32, float64, complex64, complex128.
// intp is int64.
struct scalar {
    cuda_python::kind kind = kind::boolean;
    int bits = 8;

    bool is_integer() const { return kind > kind::boolean && kind < kind::real; }
    bool is_real() const { return kind == kind::real; }
    bool is_complex() const { return kind == kind::complex; }
    bool is_boolean() const { return kind == kind::boolean; }
    std::size_t bytes() const { return static_cast<std::size_t>(bits / 8); }
    // Complex numbers are aligned as their parts are.
    std::size_t alignment() const { return is_complex() ? bytes() / 2 : bytes(); }
    friend bool operator==(scalar, scalar) = default;
};
inline constexpr scalar boolean = {kind::boolean, 8};
inline constexpr scalar intp = {kind::signed_integer, 64};
inline constexpr scalar float32 = {kind::real, 32};
inline constexpr scalar float64 = {kind::real, 64};
inline constexpr scalar complex64 = {kind::complex, 64};
inline constexpr scalar complex128 = {kind::complex, 128};

std::span<scalar const> scalars();
std::string name_of(scalar);
std::optional<scalar> scalar_named(std::string_view);
// The type that an operator makes of both operands. Neither may be bool.
scalar most_generic(scalar, scalar);

// The type of a value: nothing, a number, an array of numbers, or a tuple.
struct type {
    enum class form : unsigned char { nothing, number, array, tuple };
    form form = form::nothing;
    scalar element = {};          // of a number or an array
    int rank = 0;                 // of an array
    std::vector<type> parts = {}; // of a tuple

    bool is_nothing() const { return form == form::nothing; }
    bool is_number() const { return form == form::number; }
    bool is_array() const { return form == form::array; }
    bool is_tuple() const { return form == form::tuple; }
    friend bool operator==(type const&, type const&) = default;
};
inline type number(scalar scalar) { return {type::form::number, scalar}; }
inline type array(scalar element, int rank) { return {type::form::array, element, rank}; }
std::string name_of(type const&); // "float32[:, :]"

// The types of the arguments and of the result: "float32(float32, int32)", or "float32[:], int32".
struct signature {
    std::vector<type> parameters;
    std::optional<type> result = {};
};
signature parse_signature(std::string_view);

// A text, and how it is named in messages. Its first line is line `first_line` of a file, and each
// line begins in column `first_column` there.
struct source {
    std::string name;
    std::string text;
    int first_line = 1;
    int first_column = 1;
};
// A global that the text does not define: its value is an expression, such as 16 or float32, or the
// function of this name that another fragment has.
struct global {
    std::string name;
    std::string value;
    int fragment = -1; // that has the function
};
// A part of a program whose names have their own meanings: functions, the imports that stand before
// them, and what other names mean.
struct fragment {
    cuda_python::source source;
    std::string imports = {};
    std::vector<global> globals = {};
};
struct options {
    // Whether // and % round as Python does, to minus infinity, or to zero as integers of C++.
    bool has_floor_division = false;
    // Whether a product and a sum may become one operation of one rounding on a GPU.
    bool has_fused_products = true;
    // Whether the generated text says by #line what it was generated from.
    bool has_lines = false;
};

// A line of a source, and a column in it, both counted from 1.
struct position {
    std::string file;
    int line = 0, column = 0;
    std::string text = {}; // of the line, or of a part of it that `mark` points into
    std::size_t mark = 0;

    std::string excerpt() const; // the text, and a caret below the mark
};
struct diagnostic {
    std::string rule; // the name of a section in docs/cuda_python.md
    std::string message;
    position place;
    std::vector<position> calls; // the calls of device functions that led there, innermost first

    // As compilers print it: file, line, column, rule, message, the line and a caret, the calls.
    std::string spelled() const;
};
// The error for a program that is not CUDA Python.
class program_error : public error {
  public:
    explicit program_error(diagnostic);
    cuda_python::diagnostic const& diagnostic() const { return value; }

  private:
    cuda_python::diagnostic value;
};

} // namespace spio::cuda_python
