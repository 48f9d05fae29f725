// What the program can draw: pictures of three kinds, each by its name.
// SPDX-License-Identifier: Apache-2.0
//
// A layout places a tile in memory, a fragment is the part of a matrix that a lane holds, a box a
// tile as TMA copies it.
#pragma once

#include <span>
#include <string>

// A picture: its file name, its title, and the function that writes it to a path.
struct drawing {
    char const* name;
    char const* title;
    bool (*draw)(drawing const& self, std::string const& path); // whether the file was written
};

std::span<drawing const> layouts();
std::span<drawing const> fragments();
std::span<drawing const> boxes();
