// CUDA Python v0.2: functions of a statically typed Python, compiled to specifications of kernels.
// SPDX-License-Identifier: Apache-2.0
//
// The language is that of the specification of CUDA Python v0.2 (NumbaPro, 2013), and not NVIDIA's
// package of that name. docs/cuda_python.md describes it. A specification, or spec, is what a
// kernel is compiled from, for blocks of some extent and an architecture.
//
//     cuda_python::program const program({.name = "axpy.py", .text = text});
//     auto const kernel = program.compile("axpy", "float32, float32[:], float32[:]");
//     spio::spec const spec = kernel.specialize({256}, arch);
module;

#include "spio/launch_values.h"
#include "spio/tile/arch.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.cuda_python;

export import spio.error;
export import :types;
import spio.spec;

export namespace spio::cuda_python {

struct parameter {
    std::string name;
    cuda_python::type type;
    std::size_t offset; // in the parameters of a launch
};

struct typed_program;

// A kernel that is ready to be specialized or interpreted.
struct kernel {
    std::string name;
    std::vector<parameter> parameters = {};
    std::size_t params_bytes = 0;
    int shared_bytes = 0;       // of each block
    std::string signature = {}; // the types of its parameters: "float32, float32[:]"
    std::string symbol = {};    // its name in the text
    std::string text = {};      // CUDA C++
    std::shared_ptr<typed_program const> tree = {}; // with types, for the interpreter

    spio::spec specialize(extent block, spio::arch) const;
    // The same for blocks of any size, which the launch chooses. Kernels in packs are of this kind.
    spio::spec specialize(spio::arch arch) const { return specialize({}, arch); }
};

struct module_tree;

// A file of CUDA Python. Its functions are compiled when they are asked for.
class program {
  public:
    // The globals give values to names that the file does not define.
    explicit program(source, std::span<global const> = {});
    // Functions that come from several texts. The kernels are those of the first fragment.
    explicit program(std::vector<fragment>);

    // The names of its kernels: the functions with a decorator that does not say device=True.
    std::vector<std::string> kernels() const;
    // The signature of a function's decorator, if it has one.
    std::optional<cuda_python::signature> declared_signature(std::string_view kernel) const;
    // Compiles a kernel for arguments of these types, or for those of its decorator.
    kernel compile(std::string_view kernel, std::string_view signature = {}, options = {}) const;
    cuda_python::kernel compile(std::string_view kernel, std::vector<type> const& parameters,
                                options = {}) const;

  private:
    std::shared_ptr<module_tree const> tree; // as parsed, without types
};

// The bytes of a parameter. A number is passed as it is. An array is passed as a pointer, then the
// extents of all dimensions, then all strides in bytes, each of these numbers in 8 bytes.
std::size_t size_of(type const&);

// Runs a kernel without a compiler. Throws an error of the kind misuse if an index lies outside its
// array, if a barrier is not reached by all threads of a block, or if a block takes more than
// `steps` steps. A step is a statement, or a round of a loop, that the threads of a block run
// together.
void interpret(kernel const&, extent grid, extent block, void const* params,
               std::uint64_t steps = std::uint64_t(1) << 32);

} // namespace spio::cuda_python
