// How far rounding takes a result: what the bounds of trials are made of.
// SPDX-License-Identifier: Apache-2.0
export module spio.command:rounding;

export namespace spio::command {

// The error of one rounding to a format: relative, and absolute where numbers are tiny.
struct rounding {
    double unit;
    double least;
};
inline constexpr rounding to_float = {0x1p-24, 0x1p-150};
inline constexpr rounding to_half = {0x1p-11, 0x1p-25};

// That of k roundings after each other.
constexpr double gamma(double k, double unit) { return k * unit / (1 - k * unit); }

} // namespace spio::command
