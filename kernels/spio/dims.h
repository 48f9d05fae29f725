// The headers of the typed-dimension algebra that every kernel needs; spio/algebra.h has all.
// SPDX-License-Identifier: Apache-2.0
//
// A kernel includes what it uses of the others: swizzle.h, base_cursor.h, stepped_range.h,
// extrema.h, facts.h, vectors.h, tiles.h, orders.h, windows.h, …
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
