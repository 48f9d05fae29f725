// Draws layouts with their banks, fragments with their lanes, boxes with their swizzles.
// SPDX-License-Identifier: Apache-2.0
//
// A fragment is the part of a matrix that a lane holds, a box a tile as TMA copies it.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "drawing.h"

namespace {

struct kind {
    char const* name;
    char const* meaning;
    std::span<drawing const> drawings;

    std::string names() const {
        std::string list;
        for (drawing const& d : drawings) list += " " + std::string(d.name);
        return list;
    }
};

void print_help(std::span<kind const> kinds) {
    std::printf("usage: pictures [layout | fragment | box] [NAME] [-o FILE.svg]\n\n"
                "Draws what there is of a kind, or of all of them, into the current folder, or\n"
                "one picture into a file.\n");
    for (kind const& k : kinds) {
        std::printf("\n%s: %s\n", k.name, k.meaning);
        for (drawing const& d : k.drawings) std::printf("  %-18s %s\n", d.name, d.title);
    }
}

// What a mistake is answered with.
int complain(std::string const& words) {
    std::fprintf(stderr, "pictures: %s\n", words.c_str());
    return 1;
}

} // namespace

int main(int argc, char** argv) {
    kind const kinds[] = {
        {"layout", "the banks of a tile, and what a warp's access waits for", layouts()},
        {"fragment", "the lanes and registers of a matrix product", fragments()},
        {"box", "where the copy engine puts the cells of a tile", boxes()},
    };

    std::vector<std::string> words;
    std::string file;
    for (int n = 1; n < argc; ++n) {
        std::string_view const word = argv[n];
        if (word == "--help" || word == "-h") return print_help(kinds), 0;
        if (word == "-o") {
            if (++n == argc) return complain("-o needs a file");
            file = argv[n];
        } else if (word.starts_with("-")) {
            return complain("no option " + std::string(word) + "; see --help");
        } else {
            words.emplace_back(word);
        }
    }
    if (words.size() > 2) return complain("too many words: " + words[2] + "; see --help");

    struct order {
        drawing const* subject;
        std::string path;
    };
    std::vector<order> orders;
    std::string known_kinds;
    std::string known_names;
    for (kind const& k : kinds) {
        known_kinds += std::string(" ") + k.name;
        if (!words.empty() && words[0] != k.name) continue;
        known_names = k.names();
        for (drawing const& d : k.drawings) {
            if (words.size() == 2 && words[1] != d.name) continue;
            orders.push_back({&d, std::string(k.name) + "_" + d.name + ".svg"});
        }
    }
    if (!words.empty() && known_names.empty()) {
        return complain("no kind " + words[0] + "; there are:" + known_kinds);
    }
    if (orders.empty()) {
        return complain("no " + words[0] + " " + words[1] + "; there are:" + known_names);
    }
    if (!file.empty()) {
        if (orders.size() != 1) return complain("-o is for one picture: say its kind and name");
        orders[0].path = file;
    }
    for (order const& o : orders) {
        if (!o.subject->draw(*o.subject, o.path)) return complain("could not write " + o.path);
        std::printf("%s: %s\n", o.path.c_str(), o.subject->title);
    }
}
