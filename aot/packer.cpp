// Turns a manifest into texts for compilers, and what they make of them into a pack.
// SPDX-License-Identifier: Apache-2.0
//
//     spio_packer spell MANIFEST NUMBER ARCH OUTPUT    the kernel of the NUMBERth line, from 0
//     spio_packer spell_host MANIFEST OUTPUT           all of them, for the host device
//     spio_packer pack MANIFEST FOLDER OUTPUT ARCH...  FOLDER has NUMBER-ARCH.cubin, or .ptx
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

import spio.aot;
import spio.axpby;
import spio.image;
import spio.layernorm_2d;
import spio.spec;

namespace fs = std::filesystem;

namespace {

std::string read(fs::path const& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file) throw std::runtime_error(path.string() + " cannot be read");
    return text;
}
void write(fs::path const& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

// The specifications of a manifest; what is wrong is told as a compiler would.
std::vector<spio::spec> specs_of(fs::path const& manifest, std::string_view arch) {
    spio::family const families[] = {spio::axpby::in_words(), spio::layernorm_2d::in_words()};
    std::vector<spio::spec> specs;
    for (auto const& line : spio::aot::lines_of(read(manifest))) {
        try {
            specs.push_back(spio::spec_of_line(line.text, families, arch));
        } catch (spio::error const& e) {
            throw std::runtime_error(manifest.string() + ":" + std::to_string(line.number) + ": " +
                                     e.what());
        }
    }
    return specs;
}

void spell(fs::path const& manifest, std::string const& number, std::string_view arch,
           fs::path const& output) {
    auto const specs = specs_of(manifest, arch);
    auto const& of = specs.at(std::stoul(number));
    write(output, "// " + of.spelled() + "\n" + of.source);
}

void spell_host(fs::path const& manifest, fs::path const& output) {
    std::string text = "// The kernels of a manifest for the host device.\n"
                       "#include \"sim/host_kernel.h\"\n\n";
    std::set<std::string> known;
    for (auto const& of : specs_of(manifest, "host")) {
        if (!known.insert(of.symbol).second) continue;
        text += "// " + of.spelled() + "\n" + of.source +
                "namespace {\nspio::sim::host_kernel_of<" + of.symbol + "> const entry_of_" +
                of.symbol + "(\"" + of.symbol + "\");\n}\n\n";
    }
    write(output, text);
}

void pack(fs::path const& manifest, fs::path const& folder, fs::path const& output,
          std::span<char*> archs) {
    std::vector<spio::aot::to_pack> images;
    for (std::string const arch : archs) {
        bool const is_text = arch.starts_with("compute_");
        std::size_t number = 0;
        for (auto const& of : specs_of(manifest, arch)) {
            auto const name = std::to_string(number++) + "-" + arch + (is_text ? ".ptx" : ".cubin");
            auto bytes = read(folder / name);
            // The driver is not told where a text ends.
            if (is_text) bytes += '\0';
            auto const view = std::as_bytes(std::span(bytes));
            images.push_back({of,
                              is_text ? spio::image_kind::ptx : spio::image_kind::cubin,
                              {view.begin(), view.end()}});
        }
    }
    auto const bytes = spio::aot::write_pack(images);
    write(output, {reinterpret_cast<char const*>(bytes.data()), bytes.size()});
    // What cannot be read again is not shipped.
    spio::aot::pack::read(output).verify();
}

} // namespace

int main(int count, char** words) {
    std::span const all(words, static_cast<std::size_t>(count));
    std::string_view const what = count > 1 ? words[1] : "";
    try {
        if (what == "spell" && count == 6) {
            spell(all[2], all[3], all[4], all[5]);
        } else if (what == "spell_host" && count == 4) {
            spell_host(all[2], all[3]);
        } else if (what == "pack" && count > 5) {
            pack(all[2], all[3], all[4], all.subspan(5));
        } else {
            std::fputs("usage: spio_packer spell MANIFEST NUMBER ARCH OUTPUT\n"
                       "       spio_packer spell_host MANIFEST OUTPUT\n"
                       "       spio_packer pack MANIFEST FOLDER OUTPUT ARCH...\n",
                       stderr);
            return 2;
        }
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
