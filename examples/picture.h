// An SVG picture of text and rounded boxes, written while it is drawn. Lengths are in pixels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>

class picture {
  public:
    picture(std::string const& path, int width, int height, std::string const& title,
            std::string const& more_style = "")
        : stream_(path) {
        std::string const size =
            "width=\"" + std::to_string(width) + "\" height=\"" + std::to_string(height) + "\"";
        stream_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" " << size << ">\n<title>"
                << plain(title) << "</title>" << style << more_style << "</style>\n"
                << "<rect " << size << " rx=\"8\" fill=\"#ffffff\"/>\n";
    }

    // `kind` is a class of `style` below, which says how the words lie about x: centered on it with
    // text-anchor middle, before it with end, and else after it.
    void text(int x, int y, char const* kind, std::string const& words,
              std::string const& small_words = "") {
        stream_ << "<text x=\"" << x << "\" y=\"" << y << "\" class=\"" << kind << "\">"
                << plain(words);
        if (!small_words.empty()) stream_ << "<tspan dx=\"2\">" << plain(small_words) << "</tspan>";
        stream_ << "</text>\n";
    }
    // Adjacent boxes leave a gap of two pixels. The meaning of a box is its tooltip.
    void box(int x, int y, int width, int height, std::string const& color,
             std::string const& meaning = "") {
        stream_ << "<rect x=\"" << x + 1 << "\" y=\"" << y + 1 << "\" width=\"" << width - 2
                << "\" height=\"" << height - 2 << "\" rx=\"2\" class=\"" << color << "\"";
        if (meaning.empty()) {
            stream_ << "/>\n";
        } else {
            stream_ << "><title>" << plain(meaning) << "</title></rect>\n";
        }
    }
    void box(int x, int y, int width, std::string const& color) {
        box(x, y, width, box_height, color);
    }
    bool finish() {
        stream_ << "</svg>\n" << std::flush;
        return stream_.good();
    }

    static constexpr int box_height = 21;

  private:
    // Text without characters that SVG takes for its own.
    static std::string plain(std::string const& words) {
        std::string result;
        for (char c : words) {
            result += c == '<'   ? "&lt;"
                      : c == '>' ? "&gt;"
                      : c == '&' ? "&amp;"
                                 : std::string(1, c);
        }
        return result;
    }

    static constexpr char style[] = R"(
<style>
text { font: 12px system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #475569 }
.title { font-size: 20px; font-weight: 600; fill: #0f172a }
.name { font-size: 14px; font-weight: 600; fill: #0f172a }
.code { font: 11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }
.cell, .strong, .faint { font-size: 11px; text-anchor: middle; fill: #334155 }
.strong { fill: #ffffff; font-weight: 600 }
.faint, .end { fill: #8593a8 }
.end { font-size: 11px; text-anchor: end }
.good, .bad { font-weight: 600; text-anchor: end }
.blue, .good { fill: #1d5fa6 } .orange, .bad { fill: #c4551a }
.gray0 { fill: #eef2f6 } .gray1 { fill: #e1e8ef } .gray2 { fill: #d2dce6 } .gray3 { fill: #c1cedb }
)";
    std::ofstream stream_;
};
