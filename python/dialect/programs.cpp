// Compiles texts of Python's functions to kernels whose types are known.
// SPDX-License-Identifier: Apache-2.0
//
// The Python package passes the texts of a kernel's functions as fragments: where a text is from,
// and what its imports and globals mean. compile() makes a Program of them, which has CUDA C++ text
// and is what a launch takes. guarded() runs a function for Python and passes its errors on;
// checked() throws if a call of Python has failed.
#include "programs.h"

#include "machine.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace spio::dialect {

namespace {

namespace py = cuda_python;

std::string text_of(PyObject* words) {
    Py_ssize_t size = 0;
    auto const* const begin = PyUnicode_AsUTF8AndSize(words, &size);
    if (begin == nullptr) throw python_error();
    return {begin, static_cast<std::size_t>(size)};
}

// Calls f(item) for all items of a list.
template <class F> void for_each_item(PyObject* list, F f) {
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) f(PyList_GetItem(list, i));
}

// Reads a fragment, a tuple that compile() describes.
py::fragment fragment_of(PyObject* description) {
    PyObject *file = nullptr, *text = nullptr, *imports = nullptr, *globals = nullptr;
    int line = 0, column = 0;
    if (PyArg_ParseTuple(description, "OOiiOO!", &file, &text, &line, &column, &imports,
                         &PyList_Type, &globals) == 0) {
        throw python_error();
    }
    py::fragment result = {.source = {text_of(file), text_of(text), line, column},
                           .imports = text_of(imports)};
    for_each_item(globals, [&](PyObject* global) {
        PyObject *name = nullptr, *value = nullptr;
        int fragment = 0;
        if (PyArg_ParseTuple(global, "OOi", &name, &value, &fragment) == 0) throw python_error();
        result.globals.push_back({text_of(name), text_of(value), fragment});
    });
    return result;
}

// compile(fragments, kernel, signature, has_floor_division, has_fused_products): a fragment is
// (file, text, first line, first column, imports, globals), a global (name, value, fragment or -1).
PyObject* compile(PyObject*, PyObject* arguments) {
    return guarded([&] {
        PyObject *list = nullptr, *name = nullptr, *signature = nullptr;
        int has_floor_division = 0, has_fused_products = 0;
        if (PyArg_ParseTuple(arguments, "O!OOpp", &PyList_Type, &list, &name, &signature,
                             &has_floor_division, &has_fused_products) == 0) {
            throw python_error();
        }
        std::vector<py::fragment> fragments;
        for_each_item(list, [&](PyObject* item) { fragments.push_back(fragment_of(item)); });
        py::program const program(std::move(fragments));
        py::options const options = {.has_floor_division = has_floor_division != 0,
                                     .has_fused_products = has_fused_products != 0};
        return new_object(dialect::program{std::make_shared<py::kernel const>(program.compile(
            text_of(name), py::parse_signature(text_of(signature)).parameters, options))});
    });
}

// parse_signature(text): the names of the parameters' types, and that of the result or None.
PyObject* parse_signature(PyObject*, PyObject* words) {
    return guarded([&] {
        auto const signature = py::parse_signature(text_of(words));
        auto names = checked(PyList_New(0));
        for (auto const& type : signature.parameters) {
            auto const name = checked(PyUnicode_FromString(name_of(type).c_str()));
            if (PyList_Append(names.get(), name.get()) != 0) throw python_error();
        }
        auto const result = signature.result
                                ? checked(PyUnicode_FromString(name_of(*signature.result).c_str()))
                                : new_none();
        return checked(Py_BuildValue("(OO)", names.get(), result.get()));
    });
}

// A text of the kernel, as an attribute of Python.
template <auto Member> PyObject* text_in(PyObject* self, void*) {
    return guarded([&] {
        return checked(PyUnicode_FromString((*value_of<program>(self).kernel.*Member).c_str()));
    });
}
PyObject* shared_bytes_of(PyObject* self, void*) {
    return guarded(
        [&] { return checked(PyLong_FromLong(value_of<program>(self).kernel->shared_bytes)); });
}

PyMethodDef functions[] = {
    {"compile", compile, METH_VARARGS, nullptr},
    {"parse_signature", parse_signature, METH_O, nullptr},
    {},
};
PyGetSetDef members[] = {
    {"symbol", text_in<&py::kernel::symbol>, nullptr, "Its name in the text.", nullptr},
    {"signature", text_in<&py::kernel::signature>, nullptr, "The types of its parameters.",
     nullptr},
    {"text", text_in<&py::kernel::text>, nullptr, "CUDA C++.", nullptr},
    {"shared_bytes", shared_bytes_of, nullptr, "Shared memory of a block.", nullptr},
    {},
};
PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(release<program>)},
    {Py_tp_getset, members},
    {},
};

} // namespace

std::size_t number_of(py::scalar scalar) {
    auto const known = py::scalars();
    return static_cast<std::size_t>(std::ranges::find(known, scalar) - known.begin());
}

py::scalar scalar_of_text(PyObject* name) {
    auto const words = text_of(name);
    auto const scalar = py::scalar_named(words);
    if (!scalar) {
        throw error(error_kind::unsupported, "describe", "an array",
                    "CUDA Python has no type '" + words + "'");
    }
    return *scalar;
}

bool is_known(py::scalar scalar) {
    auto const known = py::scalars();
    return std::find(known.begin(), known.end(), scalar) != known.end();
}

void add_programs(PyObject* module) {
    if (PyModule_AddFunctions(module, functions) != 0) throw python_error();
    add_type<program>(module, "spio.dialect.Program", slots, no_constructor);
}

} // namespace spio::dialect
