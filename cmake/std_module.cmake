# Reads the headers of the standard library once in a build, instead of once in every file that includes them.
# SPDX-License-Identifier: Apache-2.0
#
# They become a header module of clang's, `std`, made when the build is configured; every #include of one of
# them then imports it. Otherwise each module of Spio holds its own copy of what it includes, and whoever
# imports ten modules makes ten copies of std::string one again: that is most of what their files take.
#
# In a build with SPIO_STD_MODULE=ON all files import it, in one standard and with one set of extensions. In a
# project that finds an installed Spio and does not set SPIO_STD_MODULE, those targets import it that link more of
# Spio than its header spio::dims. If it is set to OFF before find_package(spio), none does.

# What the tests, the library and the command include.
set(SPIO_STD_HEADERS
    algorithm array atomic bit cctype cerrno charconv chrono climits cmath compare concepts condition_variable
    csignal cstddef cstdint cstdio cstdlib cstring ctime deque exception filesystem fstream functional
    initializer_list iomanip iostream iterator latch limits map memory mutex new numbers numeric optional random
    regex set span sstream stdexcept string string_view system_error thread tuple type_traits unordered_map
    unordered_set utility variant vector)

# Makes the module in a folder, for C++20 or C++23, with extensions or without (ON or OFF). Sets out_flags to what
# a file is compiled with to read it, or else out_error to what went wrong.
function(spio_make_std_module out_flags out_error folder standard extensions)
    set(${out_flags} "" PARENT_SCOPE)
    set(dialect c++${standard})
    if(extensions)
        set(dialect gnu++${standard})
    endif()
    file(MAKE_DIRECTORY "${folder}")
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
    list(APPEND flags -std=${dialect})

    # Where the headers are: the file that an #include of one of them names last.
    file(WRITE "${folder}/probe.cpp" "#include <version>\n")
    execute_process(
        COMMAND "${CMAKE_CXX_COMPILER}" ${flags} -M "${folder}/probe.cpp" OUTPUT_VARIABLE depends
        ERROR_VARIABLE words)
    if(NOT depends MATCHES "([^ \n]+)/version[ \n]")
        set(${out_error} "${CMAKE_CXX_COMPILER} does not say where <version> is: ${depends}${words}" PARENT_SCOPE)
        return()
    endif()
    set(library "${CMAKE_MATCH_1}")
    list(TRANSFORM SPIO_STD_HEADERS REPLACE "(.+)" "    header \"${library}/\\1\"\n" OUTPUT_VARIABLE headers)
    string(JOIN "" lines ${headers})
    set(map "${folder}/std.modulemap")
    file(CONFIGURE OUTPUT "${map}" CONTENT "module std [system] {\n@lines@    export *\n}\n" @ONLY)

    # Made again if the map, the flags or the headers are others.
    set(unit "${folder}/std.pcm")
    set(command "${CMAKE_CXX_COMPILER}" ${flags} -O0 -fmodules -fno-implicit-modules -fno-implicit-module-maps -x c++
                -fmodule-name=std -Xclang -emit-module -c "${map}" -o "${unit}")
    file(TIMESTAMP "${map}" map_time)
    file(TIMESTAMP "${library}/version" library_time)
    string(SHA256 state "${command} ${map_time} ${library_time} ${CMAKE_CXX_COMPILER_VERSION}")
    set(before "")
    if(EXISTS "${unit}" AND EXISTS "${unit}.state")
        file(READ "${unit}.state" before)
    endif()
    if(NOT before STREQUAL state)
        message(STATUS "Reading the standard library once: ${unit}")
        execute_process(COMMAND ${command} RESULT_VARIABLE result ERROR_VARIABLE words)
        if(NOT result EQUAL 0)
            set(${out_error} "${words}" PARENT_SCOPE)
            return()
        endif()
        file(WRITE "${unit}.state" "${state}")
    endif()
    set(${out_flags} -fmodules -fno-implicit-modules -fno-implicit-module-maps "-fmodule-map-file=${map}"
                     "-fmodule-file=std=${unit}" PARENT_SCOPE)
endfunction()

# Installed libraries and the targets that link them import the module, unless the project has set SPIO_STD_MODULE.
# Where it cannot be made, or where options of a configuration could change what the headers mean, all of them read
# the headers themselves.
#     spio_read_std_once(STANDARD EXTENSIONS LIBRARY...)
function(spio_read_std_once standard extensions)
    if(DEFINED SPIO_STD_MODULE OR CMAKE_CROSSCOMPILING OR CMAKE_SYSROOT OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang"
       OR CMAKE_CXX_FLAGS MATCHES "-fmodule")
        return()
    endif()
    foreach(config IN LISTS CMAKE_BUILD_TYPE CMAKE_CONFIGURATION_TYPES)
        string(TOUPPER "${config}" config)
        string(REGEX REPLACE "-(O|g|DNDEBUG|fsanitize|fno-omit-frame-pointer)[^ ]*" "" others "${CMAKE_CXX_FLAGS_${config}}")
        if(others MATCHES "[^ ]")
            return()
        endif()
    endforeach()
    spio_make_std_module(flags error "${CMAKE_BINARY_DIR}/std_module/${standard}_${extensions}" ${standard} ${extensions})
    if(NOT flags)
        message(STATUS "Every file reads the standard library for itself: ${error}")
        return()
    endif()
    foreach(library IN LISTS ARGN)
        set_property(TARGET ${library} APPEND PROPERTY IMPORTED_CXX_MODULES_COMPILE_OPTIONS ${flags})
        set_property(TARGET ${library} APPEND PROPERTY INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:${flags}>")
    endforeach()
endfunction()

# If a project that contains this one has made the module already, that one is used.
if(NOT SPIO_STD_MODULE OR CMAKE_CXX_FLAGS MATCHES "-fmodule-file=std=")
    return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "SPIO_STD_MODULE needs clang++, this is ${CMAKE_CXX_COMPILER_ID}.")
endif()

# The module has the dialect of the build, which is C++20 with extensions unless the project says otherwise.
set(standard 20)
if(CMAKE_CXX_STANDARD)
    set(standard ${CMAKE_CXX_STANDARD})
endif()
set(extensions ON)
if(DEFINED CMAKE_CXX_EXTENSIONS AND NOT CMAKE_CXX_EXTENSIONS)
    set(extensions OFF)
endif()
spio_make_std_module(SPIO_STD_MODULE_FLAGS error "${PROJECT_BINARY_DIR}/std_module" ${standard} ${extensions})
if(NOT SPIO_STD_MODULE_FLAGS)
    message(FATAL_ERROR "The headers of the standard library cannot be read once; -DSPIO_STD_MODULE=OFF reads them in "
                        "every file. ${error}")
endif()
# The flags are options of this build alone. As options of a library they would be installed with its modules, and
# would lead other projects to this folder.
if(SPIO_BUILD_TESTS)
    list(TRANSFORM SPIO_STD_MODULE_FLAGS REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>" OUTPUT_VARIABLE options)
    add_compile_options(${options})
else()
    list(JOIN SPIO_STD_MODULE_FLAGS " " joined)
    string(APPEND CMAKE_CXX_FLAGS " ${joined}")
endif()
