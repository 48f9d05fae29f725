// The tile types that the cases use.
// SPDX-License-Identifier: Apache-2.0
//
// A box is a tile that TMA copies between global and shared memory, as its tensor map describes; a
// fragment is a warp's part of a matrix product, in registers. dimensions.h has the dimensions I, J
// and K, and i = axis<I>(16), j = axis<J>(64), k = axis<K>(32). An Image is what a Box is cut from;
// Lefts, Rights and Sums are tables of fragments.
#pragma once

#include "dimensions.h"
#include "spio/tile/bulk_copy.cuh"
#include "spio/tile/launch_control.cuh"
#include "spio/tile/multiply.cuh"
#include "spio/tile/tile_loader.cuh"

using half8 = spio::vec<spio::half, 8>;
using Image = spio::tensor<half8, spio::axis<I>(100), spio::axis<K>(64) / 8>;
using Box = spio::tensor<half8, i, k / 8>;
using BoxMap = spio::tensor_map<Box, Image>;
using Left = spio::left_fragment<spio::half, i, spio::axis<K>(16)>;
using Right = spio::right_fragment<spio::half, spio::axis<K>(16), spio::axis<J>(8)>;
using Sum = spio::sum_fragment<i, spio::axis<J>(8)>;
using Lefts = spio::tensor<Left, k / 16>;
using Rights = spio::tensor<Right, k / 16, j / 8>;
using Sums = spio::tensor<Sum, j / 8>;
template <spio::arch Arch> using barrier = spio::mbarrier<Arch>;
