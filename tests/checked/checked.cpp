// A checked build ends where a rule is broken, with the sentence of the rule and its dimension.
// SPDX-License-Identifier: Apache-2.0
//
// A checked build tests the rules of typed dimensions at run time. A dimension, such as I, is an
// integer type that says what it counts; fold<K, 8>, often K8, counts K in blocks of 8. axis<K>(32)
// is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the positions in one.
// A tensor is a pointer with axes, outermost first; a subscript is a position, and makes a cursor,
// which a further one moves. A ring is an axis around which positions wrap. A late size is known
// only at run time. A compound index is one number for several indices, the last of which varies
// fastest.
#include <cstdio>
#include <cstring>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "spio/algebra.h"

namespace {

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
struct N : spio::dim {
    using dim::dim;
};
using spio::axis;
using K8 = spio::fold<K, 8>;

constexpr auto i = axis<I>(4);
constexpr auto k = axis<K>(16);
using rows = spio::tensor<float, i, k / 8, k % 8>;
// An axis I with at most 4 values, one with any number, and a ring of 4.
using late = spio::tensor<float, axis<I>(spio::dynamic.up_to(4)), k>;
using later = spio::tensor<float, axis<I>(spio::dynamic), k>;
using buffers = spio::tensor<float, i.ring(), k>;
// Both distances are known only at run time.
using pitched =
    spio::tensor<float, axis<I>(spio::dynamic).pitch(spio::dynamic), k.pitch(spio::dynamic)>;

// What the tensors point to; and numbers that the compiler does not know, since they are
// volatile.
float memory[64];
int volatile four = 4;
long long volatile large = 0x100000000;

// What a program prints before it ends by SIGABRT; "ends well" if it does not.
template <class Program> std::string last_words(Program program) {
    int ends[2] = {};
    if (pipe(ends) != 0) return "no pipe";
    pid_t const child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        program();
        _exit(0);
    }
    close(ends[1]);
    std::string words;
    char buffer[256];
    for (ssize_t length; (length = read(ends[0], buffer, sizeof buffer)) > 0;) {
        words.append(buffer, static_cast<std::size_t>(length));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    bool const is_aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    return is_aborted ? words : "ends well";
}

int programs = 0, failures = 0;
// Expects that the program ends with these words.
template <class Program> void expect(char const* words, Program program) {
    ++programs;
    std::string const said = last_words(program);
    if (said.find(words) != std::string::npos) return;
    ++failures;
    std::printf("expected: %s\nsaid: %s\n", words, said.c_str());
}

} // namespace

// Each program breaks a rule, and must end with its sentence, except those that "ends well". The
// sentence is followed by two numbers: what the program said, and the limit that it breaks, or 0.
int main() {
    rows const t(memory);
    expect("spio: a bounded value is from 0 to below its size: 4, 4 (Dimension = ",
           [] { spio::bounded<K, 4> const digit(four); });
    expect("a position is an int: 4294967296, 0", [] { K const cut(large); });
    expect("a dynamic size is from 0 to its greatest: 5, 4", [] { late(memory, I(four + 1)); });
    expect("a slice lies in its tensor: 2, 4", [&] { spio::slice<3>(t, I(four - 2)); });
    expect("a slice lies in its tensor: 5, 4", [] { shift(late(memory, I(four)), I(four + 1)); });
    expect("a tile starts at 0 or later: -4, 0 (Dimension = ",
           [] { spio::tile<4>(later(memory, I(four)), spio::fold<I, 4>(-four)); });
    expect("ends well", [] { spio::tile<4>(later(memory, I(four)), spio::fold<I, 4>(four)); });
    using windows_of_k = decltype(spio::windows<K, J, N, spio::window{.taps = 3}>(rows()));
    expect("a tile starts at 0 or later: -4, 0 (Dimension = ",
           [&] { spio::tile<2>(windows_of_k(t), J(-four)); });
    expect("the blocks of a split divide the extent: 6, 4",
           [] { spio::split<I, J, N, 4>(later(memory, I(four + 2))); });
    expect("an index counts from 0: -4, 0", [] { spio::compound_index<i, k>(-four); });
    expect("a position is an int: 4294967296, 0", [] { spio::range(I(4) + K(4))[large]; });
    expect("an offset is that of an element: 64, 0", [&] { position(t, 16 * four); });
    // Rows of 16 elements that are 19 apart have none in common, rows 4 apart have; columns 4 apart
    // hold 4 rows.
    auto const pitched_rows = [](int rows, int distance) {
        return pitched(memory, I(rows), spio::pitch<I>(distance), spio::pitch<K>(1));
    };
    expect("a stride is at least what it spans: 4, 16 (Dimension = ",
           [&] { position(pitched_rows(2, four), 0); });
    expect("an offset is that of an element: 18, 0",
           [&] { position(pitched_rows(2, 19), four + 14); });
    expect("ends well", [&] { position(pitched_rows(four, 19), 19 * 3 + 15); });
    // Of five rows in blocks of four the second block has one; what follows it is stored, and no
    // element.
    using blocks = spio::tensor<float, axis<I>(spio::dynamic) / 4, axis<I>(spio::dynamic) % 4>;
    expect("ends well", [] { position(blocks(memory, I(four + 1)), four); });
    expect("an offset is that of an element: 5, 0",
           [] { position(blocks(memory, I(four + 1)), four + 1); });
    auto const columns = [](int rows) {
        return pitched(memory, I(rows), spio::pitch<I>(1), spio::pitch<K>(4));
    };
    expect("ends well", [&] { position(columns(four), 7); });
    expect("a stride is at least what it spans: 4, 5 (Dimension = ",
           [&] { position(columns(four + 1), 7); });

    // Each element that is asked for has to be there; an address need not.
    expect("an element is from 0 to below the extent: 4, 4 (Dimension = ",
           [&] { *t[I(four)][K(0)] = 1; });
    expect("an element is from 0 to below the extent: 16, 16",
           [&] { *t[K8(1)][I(0)][K(four + 4)] = 1; });
    expect("an element is from 0 to below the extent: -1, 16", [&] { *t[I(0)][K(3 - four)] = 1; });
    expect("an element is from 0 to below the extent: 3, 3",
           [] { *late(memory, I(3))[I(four - 1)][K(0)] = 1; });
    expect("ends well", [&] { *t[I(four - 1)][K(15)] = 1; });
    expect("ends well", [&] { t[I(four)][K(0)].get(); });
    expect("ends well", [] { *buffers(memory)[I(four + 3)][K(0)] = 1; });
    // Outputs and taps of windows have ends of their own, where there are inputs too.
    windows_of_k const windowed(t);
    expect("an element is from 0 to below the extent: 14, 14 (Dimension = ",
           [&] { *windowed[I(0)][J(four + 10)][N(0)]; });
    expect("an element is from 0 to below the extent: 3, 3 (Dimension = ",
           [&] { *windowed[I(0)][J(0)][N(four - 1)]; });
    expect("ends well", [&] { *windowed[I(0)][J(four + 9)][N(2)]; });
    // In constant expressions too.
    static_assert(rows()[I(3)][K(15)].inbounds());
    std::printf("summary: checked: %d programs, %d end otherwise\n", programs, failures);
    return failures != 0;
}
