// What tests record of a library's answers in a text file, and how they are compared with it.
// SPDX-License-Identifier: Apache-2.0
//
// Some answers have no oracle, such as estimated times; others have too many numbers to be written
// down. A file has a line for each question, with the answer or a digest of it. To change the
// answers on purpose, have the test write the file anew, by an environment variable, and commit it.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace spio::test {

// A digest of words and numbers; of a number the seven leading digits count.
class digest {
  public:
    void add(std::string_view text) {
        for (unsigned char const byte : text) value_ = (value_ ^ byte) * 0x100000001b3;
        value_ = (value_ ^ 0xff) * 0x100000001b3;
        ++count_;
    }
    void add(double number) { add(std::string_view(spelled(number))); }
    static std::string spelled(double number) {
        if (std::isnan(number)) return "nan"; // whose sign is the processor's choice
        char text[32];
        std::snprintf(text, sizeof text, "%.7g", number == 0 ? 0 : number);
        return text;
    }
    std::string text() const {
        char text[48];
        std::snprintf(text, sizeof text, "%d %012llx", count_,
                      static_cast<unsigned long long>(value_ & 0xffffffffffff));
        return text;
    }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325;
    int count_ = 0;
};

// The lines of a file that begin with "$ ", without this.
inline std::vector<std::string> questions_in(char const* path) {
    std::vector<std::string> found;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("$ ")) found.push_back(line.substr(2));
    }
    return found;
}

// Adds a question and its answer, or a digest of it if it is long, to the lines of a record.
inline void add_answer(std::vector<std::string>& lines, std::string const& question,
                       std::string const& answer) {
    constexpr std::size_t most_recorded = 1500;
    lines.push_back("$ " + question);
    if (answer.size() > most_recorded) {
        digest digest;
        digest.add(std::string_view(answer));
        lines.push_back(std::to_string(answer.size()) + " characters, " + digest.text());
        return;
    }
    for (std::size_t begin = 0; begin < answer.size();) {
        auto const end = std::min(answer.find('\n', begin), answer.size());
        lines.push_back(answer.substr(begin, end - begin));
        begin = end + 1;
    }
}

// The first lines of a file, as far as they begin with #: they say what it has.
inline std::string head_of(char const* path) {
    std::string head;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line) && line.starts_with('#');) head += line + '\n';
    return head;
}

// Compares lines with those of a file behind its head. If the environment variable `recorder` names
// a file, the head and the lines are written there first. Returns how many were compared.
inline std::size_t compare_with_record(std::vector<std::string> const& found, char const* path,
                                       char const* recorder) {
    auto const head = head_of(path);
    if (char const* const name = std::getenv(recorder)) {
        std::ofstream file(name);
        file << head;
        for (auto const& line : found) file << line << '\n';
    }
    std::ifstream file(path);
    file.seekg(static_cast<std::streamoff>(head.size()));
    std::size_t number = 0, wrong = 0;
    for (std::string recorded; std::getline(file, recorded); ++number) {
        auto const& line = number < found.size() ? found[number] : "no line";
        if (line == recorded) continue;
        if (++wrong > 3) break; // the lines after one that is missing differ too
        CHECK(line == recorded);
    }
    CHECK((wrong > 0 || number == found.size()));
    return number;
}

} // namespace spio::test
