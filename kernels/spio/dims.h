// All headers of the typed-dimension algebra, for code that cannot `import spio.dims;`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/axis.h"
#include "spio/base_cursor.h"
#include "spio/compound_index.h"
#include "spio/coords.h"
#include "spio/cursor.h"
#include "spio/derived.h"
#include "spio/dim.h"
#include "spio/extrema.h"
#include "spio/facts.h"
#include "spio/fold.h"
#include "spio/inverse.h"
#include "spio/layout.h"
#include "spio/place.h"
#include "spio/positions.h"
#include "spio/range.h"
#include "spio/swizzle.h"
#include "spio/tensor.h"
#include "spio/tiles.h"
#include "spio/vectors.h"
#include "spio/views.h"
