// Finds out whether code in PTX uses the variables in global memory that the text declares.
// SPDX-License-Identifier: Apache-2.0
//
// NVRTC makes a variable in a cubin of each constant that the text names, most of which only the
// compiler reads. PTX is the text from which a cubin is made: a variable that no line of it names
// but its declaration is not used.
module;

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

module spio.jit;

namespace spio::jit {

namespace {

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
}

// The name that a line of PTX declares as a variable in global memory; empty if it declares none.
std::string_view declared_variable(std::string_view line) {
    auto const end = line.find_first_of("[=;");
    if (!line.starts_with('.') || end == line.npos) return {};
    line = line.substr(0, end);
    if (!line.starts_with(".global ") && line.find(" .global ") == line.npos) return {};
    while (!line.empty() && !is_name_character(line.back())) line.remove_suffix(1);
    auto const begin = std::find_if_not(line.rbegin(), line.rend(), is_name_character);
    return {begin.base(), line.end()};
}

} // namespace

bool uses_variables(std::string_view ptx) {
    std::set<std::string_view> variables;
    std::vector<std::string_view> others;
    while (!ptx.empty()) {
        auto const line = ptx.substr(0, ptx.find('\n'));
        ptx.remove_prefix(std::min(line.size() + 1, ptx.size()));
        auto const name = declared_variable(line);
        if (name.empty()) {
            others.push_back(line);
        } else {
            variables.insert(name);
        }
    }
    return std::ranges::any_of(others, [&](std::string_view line) {
        while (!line.empty()) {
            auto const begin = std::ranges::find_if(line, is_name_character);
            auto const end = std::find_if_not(begin, line.end(), is_name_character);
            if (variables.contains({begin, end})) return true;
            line = {end, line.end()};
        }
        return false;
    });
}

} // namespace spio::jit
