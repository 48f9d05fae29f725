// Stands for the libraries of CUDA's driver and of NVRTC: calls go to the functions of a program.
// SPDX-License-Identifier: Apache-2.0
//
// A program finds both libraries by their names, and these tests have fakes of both in themselves.
#include <cstddef>

// An argument or a result of any function: a pointer, or a number that one register holds.
using word = unsigned long;
using function = word(word, word, word, word, word, word);

// The functions that the program sets: that of the driver first, then those of NVRTC in this order.
// Each function below passes its arguments on to one of them.
extern "C" {
function* stand_in_functions[12] = {};

word cuGetProcAddress_v2(word a, word b, word c, word d, word e) {
    return stand_in_functions[0](a, b, c, d, e, 0);
}
word nvrtcVersion(word a, word b) { return stand_in_functions[1](a, b, 0, 0, 0, 0); }
word nvrtcGetErrorString(word a) { return stand_in_functions[2](a, 0, 0, 0, 0, 0); }
word nvrtcCreateProgram(word a, word b, word c, word d, word e, word f) {
    return stand_in_functions[3](a, b, c, d, e, f);
}
word nvrtcDestroyProgram(word a) { return stand_in_functions[4](a, 0, 0, 0, 0, 0); }
word nvrtcCompileProgram(word a, word b, word c) { return stand_in_functions[5](a, b, c, 0, 0, 0); }
word nvrtcGetCUBINSize(word a, word b) { return stand_in_functions[6](a, b, 0, 0, 0, 0); }
word nvrtcGetCUBIN(word a, word b) { return stand_in_functions[7](a, b, 0, 0, 0, 0); }
word nvrtcGetPTXSize(word a, word b) { return stand_in_functions[8](a, b, 0, 0, 0, 0); }
word nvrtcGetPTX(word a, word b) { return stand_in_functions[9](a, b, 0, 0, 0, 0); }
word nvrtcGetProgramLogSize(word a, word b) { return stand_in_functions[10](a, b, 0, 0, 0, 0); }
word nvrtcGetProgramLog(word a, word b) { return stand_in_functions[11](a, b, 0, 0, 0, 0); }
}
