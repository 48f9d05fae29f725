// Compound indices against a reference: mixed radix in both directions, and shares of lanes.
// SPDX-License-Identifier: Apache-2.0
//
// A compound index is one number for several digits, each a value of a dimension below a bound, the
// last of which varies fastest. Its types are generated at random, with a description in plain
// text. partition() deals offsets out to 8 lanes, one after the other. A tally counts checks, and
// reports the first failure of each law. conclude() prints how much was checked, and fails the test
// if a law did not hold.
#include "tally.h"

#include <sstream>
#include <string>
#include <vector>

#include "compiled_index.h"

#include "generated.h"

TEST_CASE("every compound index decodes its offset, and deals all offsets out") {
    std::vector<compiled_index> indices;
    add_indices(indices);
    tally counts;
    for (compiled_index const& index : indices) {
        auto const expect = [&](bool holds, char const* law) {
            counts.check(holds, law, [&] { return std::string(index.text); });
        };
        std::vector<int> radices;
        std::istringstream words(index.digits);
        std::string base;
        int stride = 0;
        int size = 1;
        for (int radix = 0; words >> base >> stride >> radix; size *= radix)
            radices.push_back(radix);
        expect(index.size == size, "size()");
        expect(index.sizes == radices, "size<D>()");

        // `counter` is an odometer: its last digit counts up and carries to the left. Beyond the
        // size of the index the first digit goes on.
        std::vector<int> counter(radices.size());
        for (int offset = 0; offset < 2 * size; ++offset) {
            decoded const d = index.decode(offset);
            expect(d.offset == offset && d.round_trip == offset, "offset()");
            if (offset < size) {
                expect(d.values == counter, "get<D>()");
                expect(d.coordinate_values == counter, "coordinates()");
                if (index.tiles) expect(d.dense == offset, "the tensor of the same axes");
            } else {
                expect(d.values[0] == counter[0], "an offset beyond the size");
            }
            for (std::size_t place = radices.size(); place-- > 0;) {
                if (++counter[place] < radices[place] || place == 0) break;
                counter[place] = 0;
            }
        }

        std::vector<int> dealt(size);
        auto const hands = index.deal();
        for (int lane = 0; lane < 8; ++lane) {
            for (int const offset : hands[lane]) {
                expect(offset >= 0 && offset < size && offset % 8 == lane, "partition()");
                if (offset >= 0 && offset < size) ++dealt[offset];
            }
        }
        for (int const times : dealt) expect(times == 1, "partition() deals each offset once");
    }
    counts.conclude("indices: " + std::to_string(indices.size()) + " types, " +
                    std::to_string(counts.tried) + " checks");
}
