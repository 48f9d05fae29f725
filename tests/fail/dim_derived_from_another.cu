// error of nvcc, nvrtc: conversion from .Inner. to .I. applies
// error of clang, clang-cuda: constructor of 'I' is ambiguous
// error of gcc: I.Inner.' is ambiguous
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A struct derived from a dimension is a dimension of its own.
struct Inner : I {
    using I::I;
};
constexpr int rows(I count) { return count.get(); }
constexpr int x = rows(Inner(3)); // wrong
