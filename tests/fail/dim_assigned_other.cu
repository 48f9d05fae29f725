// error of nvcc, nvrtc: conversion from .J. to .const I. applies
// error of clang, clang-cuda: ambiguous .with operand types 'I' and 'J'
// error of gcc: from 'J' to 'I' is ambiguous
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// A value of one dimension is none of another.
constexpr I moved(I x) {
    x = J(3); // wrong
    return x;
}
