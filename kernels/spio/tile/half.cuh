// The 16-bit numbers, half and bfloat16, and two of them in one register.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/convert.h"
#include "spio/number.h"

struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;

namespace spio {

// Each has the bits of CUDA's type of that name and converts from and to it, without its headers.
// The conversion to float is exact; that from float rounds to nearest and is therefore explicit.
struct half {
    unsigned short bits;

    half() = default;
    __device__ explicit half(float value) : bits(machine::float_to_half(value)) {}
    __device__ operator float() const { return machine::half_to_float(bits); }

    template <class Cuda>
        requires same<Cuda, __half>
    __device__ half(Cuda value) : bits(__builtin_bit_cast(unsigned short, value)) {}
    template <class Cuda>
        requires same<Cuda, __half>
    __device__ operator Cuda() const {
        return __builtin_bit_cast(Cuda, bits);
    }
};

struct bfloat16 {
    unsigned short bits;

    bfloat16() = default;
    __device__ explicit bfloat16(float value) : bits(machine::float_to_bfloat16(value)) {}
    __device__ operator float() const {
        return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
    }

    template <class Cuda>
        requires same<Cuda, __nv_bfloat16>
    __device__ bfloat16(Cuda value) : bits(__builtin_bit_cast(unsigned short, value)) {}
    template <class Cuda>
        requires same<Cuda, __nv_bfloat16>
    __device__ operator Cuda() const {
        return __builtin_bit_cast(Cuda, bits);
    }
};

// The types that the tensor core multiplies.
template <class T>
concept factor = same<T, half> || same<T, bfloat16>;

template <factor T> struct cuda_pair_of {
    using type = __half2;
};
template <> struct cuda_pair_of<bfloat16> {
    using type = __nv_bfloat162;
};

// Two numbers in a register, the first in the low bits.
template <factor T> struct pair {
    unsigned bits;

    pair() = default;
    __device__ pair(T first, T second)
        : bits(first.bits | static_cast<unsigned>(second.bits) << 16) {}
    __device__ pair(float first, float second) {
        if constexpr (same<T, half>) {
            bits = machine::floats_to_halves(first, second);
        } else {
            bits = machine::floats_to_bfloat16s(first, second);
        }
    }
    // The two numbers rounded, or 0 where they are negative: a ReLU that costs nothing.
    __device__ static pair rectified(float first, float second) {
        pair result;
        if constexpr (same<T, half>) {
            result.bits = machine::floats_to_rectified_halves(first, second);
        } else {
            result.bits = machine::floats_to_rectified_bfloat16s(first, second);
        }
        return result;
    }
    __device__ T first() const {
        T value;
        value.bits = static_cast<unsigned short>(bits);
        return value;
    }
    __device__ T second() const {
        T value;
        value.bits = static_cast<unsigned short>(bits >> 16);
        return value;
    }

    template <class Cuda>
        requires same<Cuda, typename cuda_pair_of<T>::type>
    __device__ pair(Cuda value) : pair(T(value.x), T(value.y)) {}
    template <class Cuda>
        requires same<Cuda, typename cuda_pair_of<T>::type>
    __device__ operator Cuda() const {
        Cuda value;
        decltype(value.x) const x = first();
        decltype(value.y) const y = second();
        value.x = x;
        value.y = y;
        return value;
    }
};
using half2 = pair<half>;
using bfloat162 = pair<bfloat16>;

} // namespace spio
