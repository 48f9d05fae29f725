# How tests are added that CTest alone would judge too kindly, and how long any of them may take.
# SPDX-License-Identifier: Apache-2.0
#
# CTest takes a program for passed by its status alone, or by its output alone.

# Sets out_var to the beginning of a test's COMMAND that passes only if the program ends with the status,
# 0 unless it is given, and what it says has each expression.
#     spio_expect(expect [STATUS N] [SAYS EXPRESSION...])
#     add_test(NAME aot.words COMMAND ${expect} spio_packer image)
function(spio_expect out_var)
    cmake_parse_arguments(PARSE_ARGV 1 expect "" "STATUS" "SAYS")
    if(NOT expect_STATUS)
        set(expect_STATUS 0)
    endif()
    list(TRANSFORM expect_SAYS PREPEND "--says=")
    set(${out_var} "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/tools/expect.py" --status
                   ${expect_STATUS} ${expect_SAYS} -- PARENT_SCOPE)
endfunction()

# Gives every test of a directory and of those below it a limit in seconds, where it has none.
function(spio_limit_tests directory)
    get_property(tests DIRECTORY "${directory}" PROPERTY TESTS)
    foreach(test IN LISTS tests)
        get_test_property(${test} DIRECTORY "${directory}" TIMEOUT limit)
        if(NOT limit)
            set_tests_properties(${test} DIRECTORY "${directory}" PROPERTIES TIMEOUT 900)
        endif()
    endforeach()
    get_property(subdirectories DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
    foreach(subdirectory IN LISTS subdirectories)
        spio_limit_tests("${subdirectory}")
    endforeach()
endfunction()
