// The calls of the undefined-behaviour sanitizer in kernels, reported like every other misuse.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU: raise_misuse() records it for the
// report of the launch, and abandons the thread. `running` is the simulated thread that this OS
// thread runs now.
#include "sim/checker/diagnostic.h"

#include <cstdint>

using spio::sim::misuse;
using spio::sim::raise_misuse;
using spio::sim::running;

// The data that the sanitizer's interface passes to its calls, in the layout that it defines.
struct source_location {
    char const* file;
    std::uint32_t line, column;
};
struct type_descriptor {
    std::uint16_t kind, info;
    char name[1];
};
struct type_mismatch {
    source_location location;
    type_descriptor const& type;
    unsigned char log_alignment;
    unsigned char check;
};

static void raise_pointer(type_mismatch const& mismatch, std::uintptr_t pointer) {
    auto& thread = *running;
    auto const& [file, line, column] = mismatch.location;
    char const* const type = mismatch.type.name;
    auto const alignment = 1 << mismatch.log_alignment;
    if (pointer == 0 || pointer % static_cast<unsigned>(alignment) == 0) {
        raise_misuse(thread, misuse::undefined_behaviour, "%s:%u: a %s at %s", file, line, type,
                     pointer == 0 ? "null" : "an address that has no room for it");
    }
    auto const* const address = reinterpret_cast<unsigned char const*>(pointer);
    auto const& shared = thread.block->shared;
    if (shared.is_shared(address)) {
        raise_misuse(thread, misuse::shared_misaligned,
                     "%s:%u: a %s at shared offset %td, which is not a multiple of %d", file, line,
                     type, shared.offset_of(address), alignment);
    }
    raise_misuse(thread, misuse::global_misaligned,
                 "%s:%u: a %s at %p, which is not a multiple of %d", file, line, type,
                 static_cast<void const*>(address), alignment);
}

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
// Kernels are compiled with -fsanitize=alignment, so that references to whole vectors are checked.
// The linker directs those calls here, whether or not the sanitizer's runtime is linked.
__attribute__((weak)) void __real___ubsan_handle_type_mismatch_v1(type_mismatch* mismatch,
                                                                  std::uintptr_t pointer);
void __wrap___ubsan_handle_type_mismatch_v1(type_mismatch* mismatch, std::uintptr_t pointer) {
    if (running != nullptr) {
        raise_pointer(*mismatch, pointer);
    } else if (__real___ubsan_handle_type_mismatch_v1 != nullptr) {
        __real___ubsan_handle_type_mismatch_v1(mismatch, pointer);
    }
}

// The sanitizer's runtime calls __ubsan_on_report() for each finding. That function asks the
// runtime what the finding is.
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
    // The runtime holds a lock here, so the fiber goes on until its next access or its end.
    spio::sim::record_misuse(*running, misuse::undefined_behaviour, "%s:%u: %s: %s", file, line,
                             kind, message);
}
// NOLINTEND(bugprone-reserved-identifier)
}
