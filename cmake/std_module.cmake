# Reads the headers of the standard library once in a build, instead of once in every file that includes them.
# SPDX-License-Identifier: Apache-2.0
#
# They become a header module of clang's, `std`, made when the build is configured; every #include of one of
# them then imports it. Otherwise each module of Spio holds its own copy of what it includes, and whoever
# imports ten modules makes ten copies of std::string one again: that is most of what their files take.
#
# A project that uses an installed Spio has it too if it sets SPIO_STD_MODULE before find_package(spio). All
# its targets are then compiled in one standard and with one set of extensions.

# Of projects within projects, the outermost has it for all.
if(CMAKE_CXX_FLAGS MATCHES "-fmodule-file=std=")
    return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "SPIO_STD_MODULE needs clang++, this is ${CMAKE_CXX_COMPILER_ID}.")
endif()

# What the tests, the library and the command include.
set(headers
    algorithm array atomic bit cctype cerrno charconv chrono climits cmath compare concepts condition_variable
    csignal cstddef cstdint cstdio cstdlib cstring ctime deque exception filesystem fstream functional
    initializer_list iomanip iostream iterator latch limits map memory mutex new numbers numeric optional random
    regex set span sstream stdexcept string string_view system_error thread tuple type_traits unordered_map
    unordered_set utility variant vector)

# Where they are: the file that an #include of one of them names last.
set(folder "${PROJECT_BINARY_DIR}/std_module")
file(MAKE_DIRECTORY "${folder}")
file(WRITE "${folder}/probe.cpp" "#include <version>\n")
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
# In the dialect of the build, which is C++20 with extensions unless it says otherwise.
set(standard 20)
if(CMAKE_CXX_STANDARD)
    set(standard ${CMAKE_CXX_STANDARD})
endif()
set(extensions gnu)
if(DEFINED CMAKE_CXX_EXTENSIONS AND NOT CMAKE_CXX_EXTENSIONS)
    set(extensions c)
endif()
list(APPEND flags -std=${extensions}++${standard})
execute_process(
    COMMAND "${CMAKE_CXX_COMPILER}" ${flags} -M "${folder}/probe.cpp" OUTPUT_VARIABLE depends
    COMMAND_ERROR_IS_FATAL ANY)
if(NOT depends MATCHES "([^ \n]+)/version[ \n]")
    message(FATAL_ERROR "SPIO_STD_MODULE: ${CMAKE_CXX_COMPILER} does not say where <version> is: ${depends}")
endif()
set(library "${CMAKE_MATCH_1}")

list(TRANSFORM headers REPLACE "(.+)" "    header \"${library}/\\1\"\n")
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
    execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE "${unit}.state" "${state}")
endif()

# Other builds of the same compiler and standard can be given them too, sanitized or not.
set(SPIO_STD_MODULE_FLAGS -fmodules -fno-implicit-modules -fno-implicit-module-maps "-fmodule-map-file=${map}"
                          "-fmodule-file=std=${unit}")
if(SPIO_BUILD_TESTS)
    add_compile_options(${SPIO_STD_MODULE_FLAGS})
else()
    # Options of a library are installed with its modules, and would lead others to this folder. Flags are not.
    list(JOIN SPIO_STD_MODULE_FLAGS " " joined)
    string(APPEND CMAKE_CXX_FLAGS " ${joined}")
endif()
