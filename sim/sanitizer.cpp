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
    if (running == nullptr) return;
    auto& thread = *running;
    auto const& shared = thread.block->shared;
    bool const is_shared = shared.is_shared(reinterpret_cast<void const*>(pointer));
    auto const where = is_shared ? shared.offset_of(reinterpret_cast<void const*>(pointer))
                                 : static_cast<std::intptr_t>(pointer % 4096);
    spio::sim::refuse(thread,
                      pointer == 0 ? misuse::undefined_behaviour
                      : is_shared  ? misuse::shared_misaligned
                                   : misuse::global_misaligned,
                      "%s:%u: a %s at %s%td, which is not a multiple of %d", data.at.file,
                      data.at.line, data.type.name,
                      is_shared ? "shared offset " : "an address with the last digits ", where,
                      1 << data.log_alignment);
}

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
// Kernel text is compiled with -fsanitize=alignment, so that copies of whole vectors are checked.
// Where the sanitizer's runtime is linked, its functions go before these.
__attribute__((weak)) void __ubsan_handle_type_mismatch_v1(mismatched_type* data,
                                                           std::uintptr_t pointer) {
    refuse_pointer(*data, pointer);
}
__attribute__((weak)) void __ubsan_handle_type_mismatch_v1_abort(mismatched_type* data,
                                                                 std::uintptr_t pointer) {
    refuse_pointer(*data, pointer);
}
__attribute__((weak)) void __ubsan_handle_alignment_assumption(void*, std::uintptr_t,
                                                               std::uintptr_t, std::uintptr_t) {}

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
