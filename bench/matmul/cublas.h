// cuBLAS and cuBLASLt, opened at run time: matrix products to compare with.
// SPDX-License-Identifier: Apache-2.0
//
// Nothing of cuBLAS is needed to build this. The numbers are those of its enumerations.
#pragma once

#include "matmul/problem.h"

#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace spio::bench {

// A shared library, the first of some names that can be opened.
class shared_library {
  public:
    template <class... Names> explicit shared_library(Names... names) {
        ((handle_ = handle_ != nullptr ? handle_ : dlopen(names, RTLD_NOW | RTLD_GLOBAL)), ...);
        if (handle_ == nullptr) throw std::runtime_error(dlerror());
    }
    // The function of this name; throws if the library has none.
    template <class Function> Function* find(char const* name) const {
        void* const found = dlsym(handle_, name);
        if (found == nullptr) throw std::runtime_error(std::string(name) + " is missing");
        return reinterpret_cast<Function*>(found);
    }

  private:
    void* handle_ = nullptr; // open until the program ends
};

// Throws if a function of cuBLAS has failed; `call` is its name.
inline void expect_success(int status, char const* call) {
    if (status != 0)
        throw std::runtime_error(std::string(call) + " returned " + std::to_string(status));
}

// The numbers of cuBLAS for types of elements, and for the orders of factors.
struct cublas_numbers {
    static constexpr int compute_float = 68;                // CUBLAS_COMPUTE_32F
    static constexpr int float_type = 0;                    // CUDA_R_32F
    static constexpr int half_type = 2, bfloat16_type = 14; // CUDA_R_16F, CUDA_R_16BF
    int factor, result;
    int transposes_a, transposes_b;

    explicit cublas_numbers(matmul::problem const& p)
        : factor(p.type == matmul::factor_type::bf16 ? bfloat16_type : half_type),
          result(p.result == matmul::result_type::fp32 ? float_type : factor),
          transposes_a(p.a == matmul::order::columns),
          transposes_b(p.b == matmul::order::columns) {}
};

// cuBLAS with its default choice. Its matrices lie by columns, so it computes the transposed
// result from the transposed factors, and b comes first.
class cublas {
  public:
    cublas(void* stream, void* workspace, std::size_t bytes)
        : multiply_(library_.find<multiply>("cublasGemmEx")) {
        expect_success(library_.find<int(void**)>("cublasCreate_v2")(&handle_), "cublasCreate");
        expect_success(library_.find<int(void*, void*)>("cublasSetStream_v2")(handle_, stream),
                       "cublasSetStream");
        auto* const set = library_.find<int(void*, void*, std::size_t)>("cublasSetWorkspace_v2");
        expect_success(set(handle_, workspace, bytes), "cublasSetWorkspace");
        expect_success(library_.find<int(void*, int*)>("cublasGetVersion_v2")(handle_, &version_),
                       "cublasGetVersion");
    }
    int version() const { return version_; }
    void launch(matmul::problem const& p, matmul::args const& args) const {
        float const alpha = 1, beta = 0;
        cublas_numbers const numbers(p);
        expect_success(multiply_(handle_, numbers.transposes_b, numbers.transposes_a, p.n, p.m, p.k,
                                 &alpha, args.b.data, numbers.factor, lead(args.b.leading),
                                 args.a.data, numbers.factor, lead(args.a.leading), &beta,
                                 args.d.data, numbers.result, lead(args.d.leading),
                                 numbers.compute_float, default_algorithm),
                       "cublasGemmEx");
    }

  private:
    using multiply = int(void*, int, int, int, int, int, void const*, void const*, int, int,
                         void const*, int, int, void const*, void*, int, int, int, int);
    static constexpr int default_algorithm = -1; // CUBLAS_GEMM_DEFAULT
    shared_library library_{"libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.13",
                            "libcublas.so.12"};
    multiply* multiply_;
    void* handle_ = nullptr;
    int version_ = 0;

    // cuBLAS takes distances between rows as ints.
    static int lead(long long leading) { return static_cast<int>(leading); }
};

// cuBLASLt with the first choice of its heuristic for a problem.
class cublas_lt {
  public:
    cublas_lt(void* stream, void* workspace, std::size_t bytes)
        : stream_(stream), workspace_(workspace), bytes_(bytes) {
        expect_success(library_.find<int(void**)>("cublasLtCreate")(&handle_), "cublasLtCreate");
    }

    // A product of fixed sizes, with the algorithm that was chosen for it.
    class product {
      public:
        void launch(matmul::args const& args) const {
            float const alpha = 1, beta = 0;
            auto const& lt = *owner_;
            expect_success(lt.multiply_(lt.handle_, operation_, &alpha, args.b.data, b_,
                                        args.a.data, a_, &beta, args.d.data, d_, args.d.data, d_,
                                        choice_.algorithm, lt.workspace_, lt.bytes_, lt.stream_),
                           "cublasLtMatmul");
        }

      private:
        friend class cublas_lt;
        // cublasLtMatmulHeuristicResult_t, field by field.
        struct choice {
            std::uint64_t algorithm[8];
            std::size_t workspace;
            int status;
            float waves;
            int reserved[4];
        };
        cublas_lt const* owner_ = nullptr;
        void *operation_ = nullptr, *a_ = nullptr, *b_ = nullptr, *d_ = nullptr;
        choice choice_ = {};
    };

    // The product of a problem whose matrices have these leading distances.
    product prepare(matmul::problem const& p, matmul::args const& args) const {
        product prepared;
        cublas_numbers const numbers(p);
        prepared.owner_ = this;
        expect_success(
            create_operation_(&prepared.operation_, numbers.compute_float, numbers.float_type),
            "cublasLtMatmulDescCreate");
        // CUBLASLT_MATMUL_DESC_TRANSA and _TRANSB, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES.
        constexpr int transposes_first = 3, transposes_second = 4, workspace_bytes = 1;
        set(prepared.operation_, transposes_first, numbers.transposes_b);
        set(prepared.operation_, transposes_second, numbers.transposes_a);
        auto const layout = [&](void** handle, int type, bool transposes, int rows, int columns,
                                long long leading) {
            auto const inner = static_cast<std::uint64_t>(transposes ? columns : rows);
            auto const outer = static_cast<std::uint64_t>(transposes ? rows : columns);
            expect_success(create_layout_(handle, type, inner, outer, leading),
                           "cublasLtMatrixLayoutCreate");
        };
        layout(&prepared.b_, numbers.factor, numbers.transposes_b, p.n, p.k, args.b.leading);
        layout(&prepared.a_, numbers.factor, numbers.transposes_a, p.k, p.m, args.a.leading);
        layout(&prepared.d_, numbers.result, /*transposes=*/false, p.n, p.m, args.d.leading);
        void* preference = nullptr;
        expect_success(create_preference_(&preference), "cublasLtMatmulPreferenceCreate");
        expect_success(set_preference_(preference, workspace_bytes, &bytes_, sizeof bytes_),
                       "cublasLtMatmulPreferenceSetAttribute");
        int found = 0;
        expect_success(choose_(handle_, prepared.operation_, prepared.b_, prepared.a_, prepared.d_,
                               prepared.d_, preference, /*requested=*/1, &prepared.choice_, &found),
                       "cublasLtMatmulAlgoGetHeuristic");
        if (found == 0) throw std::runtime_error("cublasLt has no algorithm");
        return prepared;
    }

  private:
    using multiply = int(void*, void*, void const*, void const*, void*, void const*, void*,
                         void const*, void const*, void*, void*, void*, void const*, void*,
                         std::size_t, void*);
    shared_library library_{"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13",
                            "libcublasLt.so.12"};
    multiply* multiply_ = library_.find<multiply>("cublasLtMatmul");
    int (*create_operation_)(void**, int, int) =
        library_.find<int(void**, int, int)>("cublasLtMatmulDescCreate");
    int (*set_operation_)(void*, int, void const*, std::size_t) =
        library_.find<int(void*, int, void const*, std::size_t)>("cublasLtMatmulDescSetAttribute");
    int (*create_layout_)(void**, int, std::uint64_t, std::uint64_t, std::int64_t) =
        library_.find<int(void**, int, std::uint64_t, std::uint64_t, std::int64_t)>(
            "cublasLtMatrixLayoutCreate");
    int (*create_preference_)(void**) =
        library_.find<int(void**)>("cublasLtMatmulPreferenceCreate");
    int (*set_preference_)(void*, int, void const*, std::size_t) =
        library_.find<int(void*, int, void const*, std::size_t)>(
            "cublasLtMatmulPreferenceSetAttribute");
    int (*choose_)(void*, void*, void*, void*, void*, void*, void*, int, void*, int*) =
        library_.find<int(void*, void*, void*, void*, void*, void*, void*, int, void*, int*)>(
            "cublasLtMatmulAlgoGetHeuristic");
    void* handle_ = nullptr;
    void* stream_;
    void* workspace_;
    std::size_t bytes_;

    void set(void* operation, int attribute, int value) const {
        std::int32_t const word = value;
        expect_success(set_operation_(operation, attribute, &word, sizeof word),
                       "cublasLtMatmulDescSetAttribute");
    }
};

} // namespace spio::bench
