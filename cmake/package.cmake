# Installs the headers, the modules and what find_package(spio) reads.
# SPDX-License-Identifier: Apache-2.0
#
# Modules are installed as sources: each project that imports them compiles them for itself. A
# family is the kernels of one operation.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/spio")

install(DIRECTORY kernels/spio DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# The header that checks rules at run time, for those who put its folder before all others.
install(DIRECTORY sim/checked DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/spio")
# The kernels of each operation, and the wrappers of instructions (kernels/machine), away from everybody's include
# folder.
install(
    DIRECTORY kernels/
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/spio/kernels"
    PATTERN spio EXCLUDE)
set(libraries spio_headers)
foreach(module IN LISTS SPIO_MODULES)
    list(APPEND libraries spio_${module})
endforeach()
# The folder of the command installs its own: a module that another folder installs would be looked for in the sources.
list(REMOVE_ITEM libraries spio_command_line spio_command)
if(TARGET spio_packer)
    list(APPEND libraries spio_packer)
endif()
if(TARGET spio_sim)
    list(APPEND libraries spio_sim spio_host_text)
    install(DIRECTORY sim DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/spio/host" FILES_MATCHING
            PATTERN "*.h")
endif()
install(
    TARGETS ${libraries}
    EXPORT spio-targets
    FILE_SET CXX_MODULES DESTINATION "${CMAKE_INSTALL_DATADIR}/spio/modules")
install(
    EXPORT spio-targets
    NAMESPACE spio::
    DESTINATION "${package_dir}"
    CXX_MODULES_DIRECTORY modules)

write_basic_package_version_file(spio-config-version.cmake COMPATIBILITY SameMinorVersion)
string(REGEX MATCH "-fsanitize=[a-z,]+" SPIO_SANITIZERS "${CMAKE_CXX_FLAGS}")
configure_file(cmake/spio-config.cmake.in spio-config.cmake @ONLY)
install(FILES cmake/mp11.cmake cmake/boost_context.cmake cmake/dialect.cmake cmake/packs.cmake
              cmake/command.cmake cmake/command.cpp.in cmake/std_module.cmake
              cmake/families.cmake cmake/family.cppm.in cmake/find_cuda.cmake cmake/host_device.cmake
              cmake/embed_kernel_text.cmake cmake/measured_text.cpp.in cmake/packer.cpp.in
              "${CMAKE_CURRENT_BINARY_DIR}/spio-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/spio-config-version.cmake"
        DESTINATION "${package_dir}")
