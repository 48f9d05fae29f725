// CPython's stable interface: owned references, and errors passed from Python to C++ and back.
// SPDX-License-Identifier: Apache-2.0
//
// This is a header, because it is shared by sources of one library that has no module of its own.
#pragma once

#include <Python.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace spio::dialect {

// Thrown where Python's error is set already.
struct python_error {};

// A reference that its object owns and releases, or null.
class object {
  public:
    object() = default;
    explicit object(PyObject* owned) : pointer(owned) {}
    object(object&& other) noexcept : pointer(std::exchange(other.pointer, nullptr)) {}
    object& operator=(object&& other) noexcept {
        std::swap(pointer, other.pointer);
        return *this;
    }
    ~object() { Py_XDECREF(pointer); }

    PyObject* get() const { return pointer; }
    PyObject* release() { return std::exchange(pointer, nullptr); }
    explicit operator bool() const { return pointer != nullptr; }

  private:
    PyObject* pointer = nullptr;
};

// What a call of Python returned. Throws python_error if that is null.
inline object checked(PyObject* result) {
    if (result == nullptr) throw python_error();
    return object(result);
}
// A new reference to an object that somebody else owns.
inline object borrowed(PyObject* other) {
    Py_XINCREF(other);
    return object(other);
}
inline object new_none() { return borrowed(Py_None); }

// Sets Python's error to that which is being caught: a spio.cuda.Error for an error of Spio.
void set_python_error() noexcept;

// Runs f(), which returns an object or nothing, for Python.
template <class F> PyObject* guarded(F f) noexcept {
    try {
        if constexpr (std::is_void_v<decltype(f())>) {
            f();
            return new_none().release();
        } else {
            return f().release();
        }
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

// Other threads of Python run for as long as this lives.
class released_lock {
  public:
    released_lock() : state(PyEval_SaveThread()) {}
    released_lock(released_lock const&) = delete;
    ~released_lock() { PyEval_RestoreThread(state); }

  private:
    PyThreadState* state;
};

// A Python object that holds a C++ object of type T.
template <class T> struct holder {
    PyObject head;
    T* value;
};
template <class T> inline PyTypeObject* type_object = nullptr;

// The T that an object holds. value_in() returns null for objects of other types.
template <class T> T& value_of(PyObject* self) {
    return *reinterpret_cast<holder<T>*>(self)->value;
}
template <class T> T* value_in(PyObject* candidate) {
    bool const is_one = PyObject_TypeCheck(candidate, type_object<T>) != 0;
    return is_one ? &value_of<T>(candidate) : nullptr;
}
// An object of a type, or of one derived from it.
template <class T> object new_object(T value, PyTypeObject* type = type_object<T>) {
    auto result = checked(PyType_GenericAlloc(type, 0));
    reinterpret_cast<holder<T>*>(result.get())->value = new T(std::move(value));
    return result;
}
template <class T> void release(PyObject* self) {
    auto* const type = Py_TYPE(self);
    delete reinterpret_cast<holder<T>*>(self)->value;
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}
// For types whose objects C++ makes.
inline constexpr unsigned no_constructor = Py_TPFLAGS_DISALLOW_INSTANTIATION;
// A type of Python for T, which has the name "spio.dialect.NAME", methods and slots.
template <class T, std::size_t Count>
void add_type(PyObject* module, char const* name, PyType_Slot (&slots)[Count], unsigned flags = 0) {
    PyType_Spec spec = {name, sizeof(holder<T>), 0,
                        static_cast<unsigned>(Py_TPFLAGS_DEFAULT) | flags, slots};
    auto type = checked(PyType_FromSpec(&spec));
    type_object<T> = reinterpret_cast<PyTypeObject*>(type.get());
    if (PyModule_AddType(module, type_object<T>) != 0) throw python_error();
    type.release(); // it is never freed
}

// What the sources add to the module.
void add_arrays(PyObject* module);
void add_devices(PyObject* module);
void add_dlpack(PyObject* module);
void add_kernels(PyObject* module);
void add_programs(PyObject* module);
void add_views(PyObject* module);

} // namespace spio::dialect
