# What find_package(spio) reads: the targets spio::headers and, for each module, one of its name.
# SPDX-License-Identifier: Apache-2.0
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/mp11.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/dialect.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/spio-targets.cmake")
cmake_language(DEFER CALL spio_adopt_dialect "${CMAKE_CURRENT_SOURCE_DIR}" spio::dims spio::spec
                    spio::axpby spio::layernorm_2d spio::conv2d spio::image spio::aot spio::cuda spio::launch spio::cache
                    spio::jit spio::spio)
