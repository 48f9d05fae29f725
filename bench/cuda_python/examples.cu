// The examples of CUDA Python as kernels of CUDA C++: arrays without gaps and 32-bit indices.
// SPDX-License-Identifier: Apache-2.0
//
// Each launch function takes a grid and a block of (x, y), and a stream; measure.py calls them.

// A grid or a block.
struct sizes {
    unsigned x, y;
};

__global__ void axpy(float a, float const* x, float* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

constexpr int tile = 8;

__global__ void matmul(float const* a, float const* b, float* c, int rows, int columns, int depth) {
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    int const x = threadIdx.x, y = threadIdx.y;
    float total = 0;
    for (int start = 0; start < depth; start += tile) {
        bool const is_in_a = row < rows && start + x < depth;
        bool const is_in_b = start + y < depth && column < columns;
        a_tile[y][x] = is_in_a ? a[row * depth + start + x] : 0;
        b_tile[y][x] = is_in_b ? b[(start + y) * columns + column] : 0;
        __syncthreads();
        for (int k = 0; k < tile; ++k) total += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = total;
}

// The normal distribution's probability of a value below x, by a series.
__device__ double probability(double x) {
    if (x < -8) return 0;
    if (x > 8) return 1;
    double term = x, total = x;
    for (int k = 1; k < 100; ++k) {
        term *= x * x / (2 * k + 1);
        total += term;
    }
    return 0.5 + total * exp(-0.5 * x * x) / sqrt(2 * 3.14159265358979323846);
}

// The value of an option by the formula of Black and Scholes: `sign` is 1 for a call and -1 for a
// put, `due` the strike price discounted to today, `spread` the volatility until then.
__device__ double value(double sign, double price, double due, double spread) {
    double const middle = log(price / due) / spread;
    double const paid = price * probability(sign * (middle + 0.5 * spread));
    return sign * (paid - due * probability(sign * (middle - 0.5 * spread)));
}

__global__ void black_scholes(double* call, double* put, double const* price, double const* strike,
                              double const* years, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double const due = strike[i] * exp(-0.035 * years[i]); // interest of 3.5 % a year
    double const spread = 0.45 * sqrt(years[i]);           // a volatility of 45 % a year
    call[i] = value(1, price[i], due, spread);
    put[i] = value(-1, price[i], due, spread);
}

// The steps after which the Mandelbrot iteration of a point leaves the circle of radius 2.
__device__ int steps(double real, double imaginary, int most) {
    double x_squared = 0, y_squared = 0, product = 0;
    int count = 0;
    for (; count < most && x_squared + y_squared <= 4; ++count) {
        double const x = x_squared - y_squared + real;
        double const y = product + product + imaginary;
        x_squared = x * x;
        y_squared = y * y;
        product = x * y;
    }
    return count;
}

__global__ void mandelbrot(double left, double bottom, double width, int most,
                           unsigned short* image, int rows, int columns) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    double const side = width / columns;
    double const real = left + (column + 0.5) * side;
    int const first = blockIdx.y * blockDim.y + threadIdx.y;
    for (int row = first; row < rows; row += gridDim.y * blockDim.y) {
        image[row * columns + column] = steps(real, bottom + (row + 0.5) * side, most);
    }
}

__global__ void laplace(double const* old, double* result, double* norm, int rows, int columns) {
    __shared__ double squares[tile][tile];
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    int const x = threadIdx.x, y = threadIdx.y;
    squares[y][x] = 0;
    if (row > 0 && row + 1 < rows && column > 0 && column + 1 < columns) {
        double const* const center = old + row * columns + column;
        double const vertical = center[-columns] + center[columns];
        double const horizontal = center[-1] + center[1];
        double const residual = 0.25 * (vertical + horizontal) - *center;
        result[row * columns + column] = *center + residual;
        squares[y][x] = residual * residual;
    }
    __syncthreads();
    if (x == 0 && y == 0) {
        double total = 0;
        for (auto const& line : squares) {
            for (double const square : line) total += square;
        }
        norm[blockIdx.y * gridDim.x + blockIdx.x] = sqrt(total);
    }
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), sizes grid, sizes block, void* stream,
            Arguments... arguments) {
    dim3 const blocks(grid.x, grid.y), threads(block.x, block.y);
    kernel<<<blocks, threads, 0, static_cast<cudaStream_t>(stream)>>>(arguments...);
}

extern "C" {
void launch_axpy(sizes grid, sizes block, void* stream, float a, float* x, float* y, int n) {
    launch(axpy, grid, block, stream, a, x, y, n);
}
void launch_matmul(sizes grid, sizes block, void* stream, float* a, float* b, float* c, int rows,
                   int columns, int depth) {
    launch(matmul, grid, block, stream, a, b, c, rows, columns, depth);
}
void launch_black_scholes(sizes grid, sizes block, void* stream, double* call, double* put,
                          double* price, double* strike, double* years, int n) {
    launch(black_scholes, grid, block, stream, call, put, price, strike, years, n);
}
void launch_mandelbrot(sizes grid, sizes block, void* stream, double left, double bottom,
                       double width, int most, unsigned short* image, int rows, int columns) {
    launch(mandelbrot, grid, block, stream, left, bottom, width, most, image, rows, columns);
}
void launch_laplace(sizes grid, sizes block, void* stream, double* old, double* result,
                    double* norm, int rows, int columns) {
    launch(laplace, grid, block, stream, old, result, norm, rows, columns);
}
}
