// Elementary functions of real numbers, and products that no compiler fuses with a sum.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

__device__ inline float product(float x, float y) {
    float result;
    asm("mul.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
    return result;
}
__device__ inline double product(double x, double y) {
    double result;
    asm("mul.rn.f64 %0, %1, %2;" : "=d"(result) : "d"(x), "d"(y));
    return result;
}
// Returns x, and hides its value from the optimizer.
__device__ inline int opaque(int x) {
    asm("" : "+r"(x));
    return x;
}
__device__ inline long long opaque(long long x) {
    asm("" : "+l"(x));
    return x;
}
__device__ inline double infinity() {
    double result;
    asm("mov.f64 %0, 0d7ff0000000000000;" : "=d"(result));
    return result;
}

__device__ inline float acos(float x) { return ::acosf(x); }
__device__ inline double acos(double x) { return ::acos(x); }
__device__ inline float asin(float x) { return ::asinf(x); }
__device__ inline double asin(double x) { return ::asin(x); }
__device__ inline float atan(float x) { return ::atanf(x); }
__device__ inline double atan(double x) { return ::atan(x); }
__device__ inline float acosh(float x) { return ::acoshf(x); }
__device__ inline double acosh(double x) { return ::acosh(x); }
__device__ inline float asinh(float x) { return ::asinhf(x); }
__device__ inline double asinh(double x) { return ::asinh(x); }
__device__ inline float atanh(float x) { return ::atanhf(x); }
__device__ inline double atanh(double x) { return ::atanh(x); }
__device__ inline float cos(float x) { return ::cosf(x); }
__device__ inline double cos(double x) { return ::cos(x); }
__device__ inline float sin(float x) { return ::sinf(x); }
__device__ inline double sin(double x) { return ::sin(x); }
__device__ inline float tan(float x) { return ::tanf(x); }
__device__ inline double tan(double x) { return ::tan(x); }
__device__ inline float cosh(float x) { return ::coshf(x); }
__device__ inline double cosh(double x) { return ::cosh(x); }
__device__ inline float sinh(float x) { return ::sinhf(x); }
__device__ inline double sinh(double x) { return ::sinh(x); }
__device__ inline float tanh(float x) { return ::tanhf(x); }
__device__ inline double tanh(double x) { return ::tanh(x); }
__device__ inline float exp(float x) { return ::expf(x); }
__device__ inline double exp(double x) { return ::exp(x); }
__device__ inline float expm1(float x) { return ::expm1f(x); }
__device__ inline double expm1(double x) { return ::expm1(x); }
__device__ inline float fabs(float x) { return ::fabsf(x); }
__device__ inline double fabs(double x) { return ::fabs(x); }
__device__ inline float log(float x) { return ::logf(x); }
__device__ inline double log(double x) { return ::log(x); }
__device__ inline float log10(float x) { return ::log10f(x); }
__device__ inline double log10(double x) { return ::log10(x); }
__device__ inline float log1p(float x) { return ::log1pf(x); }
__device__ inline double log1p(double x) { return ::log1p(x); }
__device__ inline float sqrt(float x) { return ::sqrtf(x); }
__device__ inline double sqrt(double x) { return ::sqrt(x); }
__device__ inline float ceil(float x) { return ::ceilf(x); }
__device__ inline double ceil(double x) { return ::ceil(x); }
__device__ inline float floor(float x) { return ::floorf(x); }
__device__ inline double floor(double x) { return ::floor(x); }
__device__ inline float atan2(float x, float y) { return ::atan2f(x, y); }
__device__ inline double atan2(double x, double y) { return ::atan2(x, y); }
__device__ inline float pow(float x, float y) { return ::powf(x, y); }
__device__ inline double pow(double x, double y) { return ::pow(x, y); }
__device__ inline float copysign(float x, float y) { return ::copysignf(x, y); }
__device__ inline double copysign(double x, double y) { return ::copysign(x, y); }
__device__ inline float fmod(float x, float y) { return ::fmodf(x, y); }
__device__ inline double fmod(double x, double y) { return ::fmod(x, y); }

} // namespace spio::machine
