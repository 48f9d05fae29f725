// The headers of the typed-dimension algebra that every kernel needs; spio/algebra.h has all.
// SPDX-License-Identifier: Apache-2.0
//
// A kernel includes what it uses of the others: swizzle.h, base_cursor.h, stepped_range.h,
// extrema.h, rounding.h, facts.h, vectors.h, tiles.h, orders.h, windows.h, …
#pragma once

#include "spio/axis.h"
#include "spio/compound_index.h"
#include "spio/coords.h"
#include "spio/cursor.h"
#include "spio/dim.h"
#include "spio/fold.h"
#include "spio/layout.h"
#include "spio/place.h"
#include "spio/positions.h"
#include "spio/range.h"
#include "spio/tensor.h"

namespace spio {

// Functions that the other headers have. They are declared here so that a call without the header
// is an error that names it.
struct declared_in_spio_extrema_h;
void min(declared_in_spio_extrema_h, ...);
void max(declared_in_spio_extrema_h, ...);
struct declared_in_spio_rounding_h;
template <int> void refold(declared_in_spio_rounding_h, ...);
template <int> void refold_up(declared_in_spio_rounding_h, ...);
template <int> void modulo(declared_in_spio_rounding_h, ...);
void fold_up(declared_in_spio_rounding_h, ...);
struct declared_in_spio_stepped_range_h;
template <int> void range_with_step(declared_in_spio_stepped_range_h, ...);
void reverse_range(declared_in_spio_stepped_range_h, ...);
struct declared_in_spio_swizzle_h;
void swizzle(declared_in_spio_swizzle_h, ...);
void checkerboard(declared_in_spio_swizzle_h, ...);
struct declared_in_spio_derived_h;
void derived(declared_in_spio_derived_h, ...);
struct declared_in_spio_tiles_h;
template <int> void slice(declared_in_spio_tiles_h, ...);
template <int> void tile(declared_in_spio_tiles_h, ...);
struct declared_in_spio_inverse_h;
void position(declared_in_spio_inverse_h, ...);

} // namespace spio
