// Words for people: quoted safely, counted, measured, and the nearest of those that are known.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

export module spio.command_line:wording;

export namespace spio::command {

// How many bytes the character at the front of a text has in UTF-8; 0 if it is none.
std::size_t character_bytes(std::string_view text);

// The text with what could steer a terminal, or is no UTF-8, as \x1b. Lines stay lines.
std::string printable(std::string_view text);
// Its two digits, in lower case.
std::string hexadecimal(unsigned char byte);
// In quotes, on one line, and cut where it is long: 'an unknown wo…'
std::string in_quotes(std::string_view text);

// The known word that is the fewest changes away; empty if none is near.
std::string_view nearest(std::string_view word, std::span<std::string_view const> known);
// " (did you mean 'list'?)", or nothing.
std::string suggestion(std::string_view word, std::span<std::string_view const> known);

// A whole number that fits, or a failure of usage about what is called so.
unsigned number_of(std::string_view text, std::string_view called);

// "1.25 MB", "640 bytes"
std::string spelled_bytes(std::uint64_t bytes);
// "12.3 ms", "4.51 us"
std::string spelled_milliseconds(double milliseconds);
// With so many digits that count.
std::string spelled(double number, int digits = 3);
// "1 image", "3 images"
std::string counted(std::uint64_t count, std::string_view what);
// Filled up with blanks, for columns.
std::string padded(std::string text, std::size_t width);

} // namespace spio::command
