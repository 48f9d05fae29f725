# The host device has each function that g++ calls for the accesses of a kernel.
# SPDX-License-Identifier: Apache-2.0
"""gcc_calls.py G++ NM LIBRARY

The host device simulates a GPU on the CPU. Kernels for it are compiled with -fsanitize=thread, and LIBRARY has the
functions that such a text calls. Those of g++ are read from an object of all kinds of accesses that a kernel makes. Two
kinds need not be there: atomics, since kernels use those of the GPU, which are functions of the host device; and
accesses to volatile objects by names of their own, which g++ makes only with --param=tsan-distinguish-volatile=1.
"""
import pathlib
import subprocess
import sys
import tempfile

text = """
template <int Count> struct bytes { unsigned char part[Count]; };
template <class T> void copy(T* target, T const* source) { *target = *source; }
template <class T> void change(T* x) { *x = *x + 1; }
template <class T> void change_volatile(T volatile* x) { *x = *x + 1; }
struct fields { unsigned first : 3, second : 20; };
struct [[gnu::packed]] packed { char first; int second; double third; };
struct base { virtual ~base(); int part; };
base::~base() { part = 0; }
struct alignas(16) vector { float part[4]; };
typedef float wide __attribute__((vector_size(32)));

template void copy(bytes<1>*, bytes<1> const*);
template void copy(bytes<3>*, bytes<3> const*);
template void copy(bytes<8>*, bytes<8> const*);
template void copy(bytes<16>*, bytes<16> const*);
template void copy(bytes<24>*, bytes<24> const*);
template void copy(bytes<100>*, bytes<100> const*);
template void copy(vector*, vector const*);
template void copy(wide*, wide const*);
template void copy(packed*, packed const*);
template void change(bool*);
template void change(short*);
template void change(int*);
template void change(float*);
template void change(double*);
template void change(long double*);
template void change(__int128*);
template void change(_Complex double*);
template void change_volatile(char volatile*);
template void change_volatile(long volatile*);
void change_fields(fields* x) { x->second += x->first; }
void change_packed(packed* x) { x->second += 1; x->third += 1; }
"""


def names(program, *words):
    lines = subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1] for line in lines if "__tsan_" in line}


def main(compiler, nm, library):
    called = set()
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder) / "accesses.cpp", pathlib.Path(folder) / "accesses.o"
        source.write_text(text)
        for level in ("-O0", "-O1", "-O2", "-O3"):
            words = ["-std=c++20", "-w", level, "-fsanitize=thread", "-c", str(source), "-o", str(target)]
            subprocess.run([compiler, *words], check=True)
            called |= names(nm, "--undefined-only", str(target))
    # Without these the text is not what it says.
    expected = {"__tsan_read_range", "__tsan_write_range", "__tsan_read16", "__tsan_write1"}
    missing = called - names(nm, "--defined-only", library)
    print(f"g++ calls {len(called)} functions: {' '.join(sorted(called))}")
    for name in sorted(missing):
        print(f"the host device has no {name}")
    return 1 if missing or not expected <= called else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
