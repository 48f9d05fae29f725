// The module spio.dialect: what spio.cuda needs of C++.
// SPDX-License-Identifier: Apache-2.0
//
// The Python package spio.cuda is what users import; this module is the part of it that is written
// in C++. Each source beside this one adds its functions and types by a function such as
// add_arrays().
#include "python.h"

extern "C" __attribute__((visibility("default"))) PyObject* PyInit_dialect() {
    using namespace spio::dialect;
    static PyModuleDef definition = {
        PyModuleDef_HEAD_INIT,
        "spio.dialect",
        "Compiles and launches kernels of CUDA Python, for the package spio.cuda.",
        /*m_size=*/-1,         // no state for each interpreter
        /*m_methods=*/nullptr, // the functions below add them
        /*m_slots=*/nullptr,
        /*m_traverse=*/nullptr,
        /*m_clear=*/nullptr,
        /*m_free=*/nullptr};
    return guarded([] {
        auto module = checked(PyModule_Create(&definition));
        for (auto* const add :
             {add_arrays, add_devices, add_dlpack, add_kernels, add_programs, add_views}) {
            add(module.get());
        }
        return module;
    });
}
