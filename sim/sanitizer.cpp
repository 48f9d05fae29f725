// What the undefined-behaviour sanitizer finds in kernel text, told like every other misuse.
// SPDX-License-Identifier: Apache-2.0
#include "sim/refusal.h"

#include <cstdint>

using spio::sim::misuse;
using spio::sim::running;

// What the compiler passes of a pointer's type, as the sanitizer's interface has it.
struct source_place {
    char const* file;
    std::uint32_t line, column;
};
struct described_type {
    std::uint16_t kind, info;
    char name[1];
};
struct mismatched_type {
    source_place at;
    described_type const& type;
    unsigned char log_alignment;
    unsigned char check;
};

static void refuse_pointer(mismatched_type const& data, std::uintptr_t pointer) {
    auto& thread = *running;
    auto const alignment = std::uintptr_t{1} << data.log_alignment;
    if (pointer == 0 || pointer % alignment == 0) {
        spio::sim::refuse(thread, misuse::undefined_behaviour, "%s:%u: a %s at %s", data.at.file,
                          data.at.line, data.type.name,
                          pointer == 0 ? "null" : "an address that has no room for it");
    }
    auto const* const address = reinterpret_cast<unsigned char const*>(pointer);
    auto const& shared = thread.block->shared;
    if (shared.is_shared(address)) {
        spio::sim::refuse(thread, misuse::shared_misaligned,
                          "%s:%u: a %s at shared offset %td, which is not a multiple of %d",
                          data.at.file, data.at.line, data.type.name, shared.offset_of(address),
                          static_cast<int>(alignment));
    }
    spio::sim::refuse(thread, misuse::global_misaligned,
                      "%s:%u: a %s at %p, which is not a multiple of %d", data.at.file,
                      data.at.line, data.type.name, static_cast<void const*>(address),
                      static_cast<int>(alignment));
}

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
// Kernel text is compiled with -fsanitize=alignment, so that references to whole vectors are
// checked. The linker sends its calls here first, whether or not the sanitizer's runtime is linked.
__attribute__((weak)) void __real___ubsan_handle_type_mismatch_v1(mismatched_type* data,
                                                                  std::uintptr_t pointer);
void __wrap___ubsan_handle_type_mismatch_v1(mismatched_type* data, std::uintptr_t pointer) {
    if (running != nullptr) {
        refuse_pointer(*data, pointer);
    } else if (__real___ubsan_handle_type_mismatch_v1 != nullptr) {
        __real___ubsan_handle_type_mismatch_v1(data, pointer);
    }
}

// The runtime calls the first at each finding, which asks the second what it is.
__attribute__((weak)) void __ubsan_get_current_report_data(char const** kind, char const** message,
                                                           char const** file, unsigned* line,
                                                           unsigned* column, char** address);
void __ubsan_on_report() {
    if (running == nullptr || __ubsan_get_current_report_data == nullptr) return;
    char const* kind = "";
    char const* message = "";
    char const* file = "";
    unsigned line = 0;
    unsigned column = 0;
    char* address = nullptr;
    __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
    // The runtime holds a lock now: the fiber goes on to its next access, or its end.
    spio::sim::take_down(*running, misuse::undefined_behaviour, "%s:%u: %s: %s", file, line, kind,
                         message);
}
// NOLINTEND(bugprone-reserved-identifier)
}
