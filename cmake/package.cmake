# Installs the headers, the modules and what find_package(spio) reads.
# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/spio")

install(DIRECTORY kernels/spio DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# The families and the machine, away from everybody's include folder.
install(
    DIRECTORY kernels/
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/spio/kernels"
    PATTERN spio EXCLUDE)
install(
    TARGETS spio_headers spio_dims spio_spec spio_axpby spio_layernorm_2d spio_conv2d spio_image spio_aot spio_cuda
            spio_launch spio_cache spio_jit spio_spio
    EXPORT spio-targets
    FILE_SET CXX_MODULES DESTINATION "${CMAKE_INSTALL_DATADIR}/spio/modules")
install(
    EXPORT spio-targets
    NAMESPACE spio::
    DESTINATION "${package_dir}"
    CXX_MODULES_DIRECTORY modules)

write_basic_package_version_file(spio-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/spio-config.cmake cmake/mp11.cmake cmake/dialect.cmake
              "${CMAKE_CURRENT_BINARY_DIR}/spio-config-version.cmake"
        DESTINATION "${package_dir}")
