# Gives the modules the dialect of those who import them: their C++ standard, with extensions or without.
# SPDX-License-Identifier: Apache-2.0
#
# A dialect is a standard of C++, with the compiler's extensions or without.

# clang refuses a module made for another standard, or with other extensions, than its importer's,
# and CMake makes the module as the library's own properties say. So once a project has been read,
# its targets are asked what they speak, and the library speaks the same.
#     spio_adopt_dialect(DIRECTORY LIBRARY...)
function(spio_adopt_dialect directory)
    spio_dialects_of("${directory}" dialects libraries)
    list(REMOVE_DUPLICATES dialects)
    list(LENGTH dialects count)
    if(count EQUAL 0)
        return()
    endif()
    if(count GREATER 1)
        message(WARNING "The targets that link spio speak several dialects (standard, extensions): "
                        "${dialects}. A module has one; give them the same CXX_STANDARD and "
                        "CXX_EXTENSIONS.")
    endif()
    list(GET dialects 0 dialect)
    string(REGEX MATCH "([0-9]+), (.+)" matched "${dialect}")
    set_target_properties(${ARGN} PROPERTIES CXX_STANDARD ${CMAKE_MATCH_1} CXX_EXTENSIONS
                                                                           ${CMAKE_MATCH_2})
    # The algebra reads nothing of the standard library.
    list(REMOVE_ITEM libraries spio::dims spio::standard)
    list(GET ARGN 0 first)
    get_target_property(is_installed ${first} IMPORTED)
    if(is_installed AND libraries)
        spio_read_std_once(${CMAKE_MATCH_1} ${CMAKE_MATCH_2} ${ARGN})
    endif()
endfunction()

# The dialects of the targets in and below a directory that link spio, and which of its libraries they link.
function(spio_dialects_of directory out_var out_libraries)
    set(dialects "")
    set(all_libraries "")
    get_property(targets DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_property(libraries TARGET ${target} PROPERTY LINK_LIBRARIES)
        # These libraries have no modules.
        list(FILTER libraries INCLUDE REGEX "^spio::")
        list(REMOVE_ITEM libraries spio::headers spio::mp11 spio::sim spio::host_text)
        if(NOT libraries)
            continue()
        endif()
        list(APPEND all_libraries ${libraries})
        get_property(features TARGET ${target} PROPERTY COMPILE_FEATURES)
        get_property(levels TARGET ${target} PROPERTY CXX_STANDARD)
        get_property(extensions TARGET ${target} PROPERTY CXX_EXTENSIONS)
        string(REGEX MATCHALL "cxx_std_[0-9]+" features "${features}")
        list(TRANSFORM features REPLACE "cxx_std_" "")
        # C++98 and C++11 to C++17 are out of the question: the library itself asks for C++20.
        list(APPEND levels ${features} 20)
        list(REMOVE_ITEM levels 98)
        list(SORT levels COMPARE NATURAL ORDER DESCENDING)
        list(GET levels 0 level)
        if("${extensions}" STREQUAL "")
            set(extensions ON)
        endif()
        list(APPEND dialects "C++${level}, ${extensions}")
    endforeach()
    get_property(subdirectories DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
    foreach(subdirectory IN LISTS subdirectories)
        spio_dialects_of("${subdirectory}" below libraries_below)
        list(APPEND dialects ${below})
        list(APPEND all_libraries ${libraries_below})
    endforeach()
    set(${out_var} "${dialects}" PARENT_SCOPE)
    set(${out_libraries} "${all_libraries}" PARENT_SCOPE)
endfunction()
