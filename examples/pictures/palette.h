// The colors of 32 lanes or banks: 8 hues in 4 shades, for dark words on them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

// Hues that readers with any of the color blindnesses tell apart; the next three of a hue are
// lighter. As boxes, these are the classes p0 to p31.
inline std::string palette_style() {
    constexpr int hues[8] = {0x9185de, 0x78beff, 0xa1feff, 0x3ea699,
                             0xe2ee88, 0xbdba4e, 0xbd8547, 0xf8b7b5};
    std::string style =
        "text { pointer-events: none }\n"
        ".dark { font-size: 11px; font-weight: 600; text-anchor: middle; fill: #0f172a }\n"
        ".tiny, tspan { font-size: 8px; font-weight: 400 }\n"
        ".tiny { text-anchor: middle; fill: #0f172a }\n"
        ".read { stroke: #0f172a; stroke-width: 2 }\n"
        ".thin { stroke-width: 1.2 }\n";
    for (int n = 0; n < 32; ++n) {
        int color = 0;
        for (int shift = 16; shift >= 0; shift -= 8) {
            int const full = hues[n / 4] >> shift & 0xff;
            color = color << 8 | (full + (255 - full) * (n % 4) * 18 / 100);
        }
        char line[40];
        std::snprintf(line, sizeof line, ".p%d { fill: #%06x }\n", n, color);
        style += line;
    }
    return style;
}
inline std::string palette_color(int n) { return "p" + std::to_string(n); }
