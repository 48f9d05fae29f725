// error: the_function_leaves_its_axis<.*, 64>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J, i = axis<I>(16), j = axis<J>(64).

// The function of a derived axis stays within the axis. This one maps the last position beyond it.
struct beyond {
    constexpr int operator()(J x) const { return x.get() + 1; }
};
using Wrong = spio::tensor<float, i, derived(beyond(), j)>; // wrong
