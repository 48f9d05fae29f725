// Text for people: quoted safely, counted, measured, and the nearest of the known words.
// SPDX-License-Identifier: Apache-2.0
//
// A text from outside may have control characters, by which a terminal can be steered: quote() and
// the others print none.
module;

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

export module spio.command_line:formatting;

export namespace spio::command {

// The text in quotes, on one line, and cut if it is long: 'an unknown wo…'
std::string quote(std::string_view text);

// The known word that is the fewest changes away; empty if none is near.
std::string_view nearest(std::string_view word, std::span<std::string_view const> known);
// " (did you mean 'list'?)", or nothing.
std::string suggestion(std::string_view word, std::span<std::string_view const> known);

// "1.25 MB", "640 bytes"
std::string format_bytes(std::uint64_t bytes);
// "12.3 ms", "4.51 us"
std::string format_milliseconds(double milliseconds);
// The number with `digits` significant digits.
std::string format_number(double number, int digits = 3);
// "1 image", "3 images"
std::string format_count(std::uint64_t count, std::string_view noun);
// "a, b or c"; `last` stands before the last word
std::string format_list(std::span<std::string_view const> words, std::string_view last = " or ");
// The text padded with blanks to `width` characters; a text that is not shorter gets one blank.
std::string padded(std::string text, std::size_t width);

} // namespace spio::command
