// Elementary functions of real numbers, and products that no compiler fuses with a sum.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/elementary.h.
#pragma once

namespace spio::machine {

// A product that is rounded before it is added to something.
inline float product(float x, float y) { return x * y; }
inline double product(double x, double y) { return x * y; }
// The number itself. On a GPU the compiler cannot see where it comes from.
inline int opaque(int x) { return x; }
inline long long opaque(long long x) { return x; }
inline double infinity() { return __builtin_inf(); }

inline float acos(float x) { return __builtin_acosf(x); }
inline double acos(double x) { return __builtin_acos(x); }
inline float asin(float x) { return __builtin_asinf(x); }
inline double asin(double x) { return __builtin_asin(x); }
inline float atan(float x) { return __builtin_atanf(x); }
inline double atan(double x) { return __builtin_atan(x); }
inline float acosh(float x) { return __builtin_acoshf(x); }
inline double acosh(double x) { return __builtin_acosh(x); }
inline float asinh(float x) { return __builtin_asinhf(x); }
inline double asinh(double x) { return __builtin_asinh(x); }
inline float atanh(float x) { return __builtin_atanhf(x); }
inline double atanh(double x) { return __builtin_atanh(x); }
inline float cos(float x) { return __builtin_cosf(x); }
inline double cos(double x) { return __builtin_cos(x); }
inline float sin(float x) { return __builtin_sinf(x); }
inline double sin(double x) { return __builtin_sin(x); }
inline float tan(float x) { return __builtin_tanf(x); }
inline double tan(double x) { return __builtin_tan(x); }
inline float cosh(float x) { return __builtin_coshf(x); }
inline double cosh(double x) { return __builtin_cosh(x); }
inline float sinh(float x) { return __builtin_sinhf(x); }
inline double sinh(double x) { return __builtin_sinh(x); }
inline float tanh(float x) { return __builtin_tanhf(x); }
inline double tanh(double x) { return __builtin_tanh(x); }
inline float exp(float x) { return __builtin_expf(x); }
inline double exp(double x) { return __builtin_exp(x); }
inline float expm1(float x) { return __builtin_expm1f(x); }
inline double expm1(double x) { return __builtin_expm1(x); }
inline float fabs(float x) { return __builtin_fabsf(x); }
inline double fabs(double x) { return __builtin_fabs(x); }
inline float log(float x) { return __builtin_logf(x); }
inline double log(double x) { return __builtin_log(x); }
inline float log10(float x) { return __builtin_log10f(x); }
inline double log10(double x) { return __builtin_log10(x); }
inline float log1p(float x) { return __builtin_log1pf(x); }
inline double log1p(double x) { return __builtin_log1p(x); }
inline float sqrt(float x) { return __builtin_sqrtf(x); }
inline double sqrt(double x) { return __builtin_sqrt(x); }
inline float ceil(float x) { return __builtin_ceilf(x); }
inline double ceil(double x) { return __builtin_ceil(x); }
inline float floor(float x) { return __builtin_floorf(x); }
inline double floor(double x) { return __builtin_floor(x); }
inline float atan2(float x, float y) { return __builtin_atan2f(x, y); }
inline double atan2(double x, double y) { return __builtin_atan2(x, y); }
inline float pow(float x, float y) { return __builtin_powf(x, y); }
inline double pow(double x, double y) { return __builtin_pow(x, y); }
inline float copysign(float x, float y) { return __builtin_copysignf(x, y); }
inline double copysign(double x, double y) { return __builtin_copysign(x, y); }
inline float fmod(float x, float y) { return __builtin_fmodf(x, y); }
inline double fmod(double x, double y) { return __builtin_fmod(x, y); }

} // namespace spio::machine
