# Writes a source that holds the text of kernels; a script, run while a project is built.
# SPDX-License-Identifier: Apache-2.0
#
#     cmake -D FOLDER=DIR -D FILES=NAME|NAME… -D MP11=DIR -D OUTPUT=FILE -D MODULE=NAME
#           -D NAMESPACE=NAME -P embed_kernel_text.cmake
#
# The FILES are headers below FOLDER. OUTPUT defines kernel_text() in MODULE and NAMESPACE, which
# returns their names, texts and digests for the compilers that run later.
cmake_minimum_required(VERSION 3.28)

string(REPLACE "|" ";" names "${FILES}")

# The headers of Boost that they include, directly or not. They are embedded too if MP11 is given.
set(boost "")
set(unread ${names})
while(unread)
    list(POP_FRONT unread name)
    set(folder "${FOLDER}")
    if(name IN_LIST boost)
        set(folder "${MP11}")
    endif()
    file(STRINGS "${folder}/${name}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*<boost/")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE ".*<(.*)>.*" "\\1" found "${line}")
        if(MP11 AND NOT found IN_LIST boost)
            list(APPEND boost "${found}")
            list(APPEND unread "${found}")
        endif()
    endforeach()
endwhile()

set(all "")
set(entries "")
list(APPEND names ${boost})
list(SORT names)
foreach(name IN LISTS names)
    set(folder "${FOLDER}")
    if(name IN_LIST boost)
        set(folder "${MP11}")
    endif()
    file(READ "${folder}/${name}" text)
    file(SIZE "${folder}/${name}" size)
    string(LENGTH "${text}" length)
    if(NOT size EQUAL length OR text MATCHES "\\)kernel_text\"")
        message(FATAL_ERROR "${folder}/${name} is no text that can be embedded")
    endif()
    string(APPEND all "${name}\n${size}\n${text}")
    string(SHA256 digest "${text}")
    string(SUBSTRING "${digest}" 0 16 digest)
    string(APPEND entries "    {\"${name}\", std::string_view(R\"kernel_text(${text})kernel_text\", ${size}), 0x${digest}},\n")
endforeach()
string(SHA256 digest "${all}")

set(digest_function "")
if(MODULE STREQUAL "spio.text")
    set(digest_function "
std::string_view kernel_text_digest() {
    return \"${digest}\";
}
")
endif()

file(WRITE "${OUTPUT}.new" "// The text of kernels, written by embed_kernel_text.cmake.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>
#include <string_view>

module ${MODULE};

import spio.spec;

namespace ${NAMESPACE} {

namespace {

constexpr spio::header headers[] = {
${entries}};

} // namespace

std::span<spio::header const> kernel_text() { return headers; }
${digest_function}
} // namespace ${NAMESPACE}
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
