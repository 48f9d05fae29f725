// Programs of CUDA Python that Python's functions were compiled to.
// SPDX-License-Identifier: Apache-2.0
//
// This is a header, because it is shared by sources of one library that has no module of its own.
// CUDA Python is a statically typed Python whose functions become CUDA kernels.
#pragma once

#include "python.h"

#include <memory>

import spio.cuda_python;

namespace spio::dialect {

// A kernel whose types are known; Python has it as an object, too.
struct program {
    std::shared_ptr<cuda_python::kernel const> kernel;
};

} // namespace spio::dialect
