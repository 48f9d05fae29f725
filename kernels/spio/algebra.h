// The whole algebra of typed dimensions: what every kernel needs, and what only some include.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/axis_views.h"
#include "spio/base_cursor.h"
#include "spio/derived.h"
#include "spio/dims.h"
#include "spio/extrema.h"
#include "spio/index_algebra.h"
#include "spio/inverse.h"
#include "spio/orders.h"
#include "spio/rounding.h"
#include "spio/stepped_range.h"
#include "spio/swizzle.h"
#include "spio/windows.h"
