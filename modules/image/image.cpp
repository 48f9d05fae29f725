// Makes images of bytes, and knows which device an image suits.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel. A spec (specialization) is what it is compiled from, and a line is
// the line of a manifest (a list of kernels) that asks for it. A keeper owns the memory that
// something refers to. A text_identity is what two kernels of one symbol are told apart by: their
// text and headers.
module;

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.image;

import spio.spec;

namespace spio {

std::string_view name_of(image_kind kind) {
    switch (kind) {
    case image_kind::cubin:
        return "cubin";
    case image_kind::ptx:
        return "ptx";
    case image_kind::host:
        return "host";
    case image_kind::fatbin:
        return "fatbin";
    }
    return "unknown";
}

std::string_view name_of(origin origin) {
    switch (origin) {
    // Packs are shipped with a program; users read this word.
    case origin::packed:
        return "shipped";
    case origin::memory:
        return "memory";
    case origin::disk:
        return "disk";
    case origin::compiled:
        return "compiled";
    }
    return "unknown";
}

// The image of a kernel, with a copy of its bytes.
image image_of_bytes(spec const& spec, image_kind kind, std::span<std::byte const> bytes,
                     std::string made_by) {
    auto const copy = std::make_shared<std::vector<std::byte> const>(bytes.begin(), bytes.end());
    return {.symbol = spec.symbol,
            .line = spec.line(),
            .arch = spec.arch,
            .made_by = std::move(made_by),
            .kind = kind,
            .bytes = *copy,
            .keeper = copy,
            .shape = spec.shape,
            .params_bytes = spec.params_bytes,
            .text = text_identity(spec)}; // what it was compiled from
}

error no_compiler_error(spec const& spec, std::string reason) {
    return error(error_kind::no_compiler, "compile", "kernel " + spec.spelled(), std::move(reason));
}

// Of two that run, a cubin is above PTX: 500 is more than any architecture's number.
int suits(arch code, arch device) {
    if (code == device) return 1000;
    if (!code.runs_on(device)) return 0;
    return code.is_ptx ? code.number : 500 + code.number;
}

} // namespace spio
