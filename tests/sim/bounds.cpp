// Reports of accesses and copies at the ends of memory, compared as a whole with a record.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. Kernels here access arrays and shared memory at each
// byte around their ends; record.plant() launches one, with a shape such as block_of(threads, bytes
// of shared memory). word(i) is float i of that memory, barrier() an mbarrier in it. bounds.txt has
// the reports. To change them on purpose, record the file:
//     SPIO_RECORD_BOUNDS=tests/sim/bounds.txt build/ci/tests/test_sim -tc="*accesses*recorded*"
#include "report_record.h"

#include "machine/async_copy.h"

#include <cstring>
#include <memory>
#include <string>

namespace {

using bytes_array = spio::sim::memory<unsigned char>;

// Launches a thread that reads a Word at an offset of an array, and one that writes it.
template <class Word>
void plant_access(report_record& record, std::string const& name, unsigned char* begin,
                  int offset) {
    record.plant(name + " read" + text_of(offset), block_of(1), [&] {
        Word const value = *reinterpret_cast<Word volatile*>(begin + offset);
        *reinterpret_cast<Word volatile*>(machine::dynamic_shared()) = value;
    });
    record.plant(name + " write" + text_of(offset), block_of(1),
                 [&] { *reinterpret_cast<Word volatile*>(begin + offset) = Word(); });
}

// Accesses of a Word at offsets around the ends of arrays, and of shared memory.
template <class Word> void plant_accesses(report_record& record) {
    constexpr int size = sizeof(Word);
    auto const name = text_of(size) + " bytes";
    auto const array = std::make_unique<bytes_array>(100, "array");
    auto const other = std::make_unique<bytes_array>(5000, "other");
    unsigned char* freed = nullptr;
    {
        bytes_array const gone(100, "gone");
        freed = gone.data();
    }
    for (int offset = -2 * size; offset < 0; ++offset) {
        plant_access<Word>(record, "array" + name, array->data(), offset);
    }
    for (int offset = 100 - 2 * size; offset <= 100 + size; ++offset) {
        plant_access<Word>(record, "array" + name, array->data(), offset);
    }
    // Around the end of the array's first page.
    for (int offset = 4000; offset <= 4160; offset += 80) {
        plant_access<Word>(record, "between array and other" + name, array->data(), offset);
    }
    for (int offset = 0; offset <= 3 * size; offset += size) {
        plant_access<Word>(record, "freed" + name, freed, offset);
    }
    // What the host has written is seen in groups of 16 bytes.
    std::memset(array->data(), 0xff, 100);
    for (int written = 0; written < 32; written += 5) {
        array->data()[48 + written] = 1;
        for (int offset = 32; offset < 80; offset += 8) {
            auto const place = " after host writes to byte" + text_of(48 + written);
            record.plant(
                "read" + name + text_of(offset) + place, block_of(1),
                [&] {
                    *reinterpret_cast<Word volatile*>(machine::dynamic_shared()) =
                        *reinterpret_cast<Word volatile*>(array->data() + offset);
                },
                /*unwritten_reads=*/true);
        }
    }
    for (int offset = 256 - 2 * size; offset <= 256 + size; ++offset) {
        record.plant("shared" + name + text_of(offset), block_of(1, 256), [&] {
            *reinterpret_cast<Word volatile*>(machine::dynamic_shared() + offset) = Word();
        });
    }
    for (int offset = 0; offset < 16; offset += size) {
        record.plant("shared, five written" + name + text_of(offset), block_of(1), [&] {
            auto* const begin = machine::dynamic_shared();
            for (int i = 0; i < 5; ++i) *static_cast<unsigned char volatile*>(begin + i) = 1;
            *reinterpret_cast<Word volatile*>(begin + 64) =
                *reinterpret_cast<Word volatile*>(begin + offset);
        });
        record.plant("shared, race at 6" + name + text_of(offset), block_of(64), [&] {
            auto* const begin = machine::dynamic_shared();
            if (thread() == 9) *static_cast<unsigned char volatile*>(begin + 6) = 1;
            if (thread() == 40) *reinterpret_cast<Word volatile*>(begin + offset) = Word();
        });
        record.plant("race of blocks" + name + text_of(offset),
                     {.grid = {3}, .shape = {.block = {1}}}, [&] {
                         auto* const begin = array->data() + 16;
                         int const block = machine::block_index().x;
                         if (block == 0) *reinterpret_cast<unsigned short volatile*>(begin + 6) = 1;
                         if (block == 2) *reinterpret_cast<Word volatile*>(begin + offset) = Word();
                     });
    }
}

void plant_copies(report_record& record) {
    bytes_array const source(256, "source"), target(256, "target");
    for (int bytes = -1; bytes <= 17; ++bytes) {
        record.plant("copies of" + text_of(bytes), block_of(1), [&] {
            machine::copy_16_async(&word(0), source.data(), bytes);
            machine::copy_async<8>(&word(4), source.data(), bytes > 8 ? bytes - 8 : bytes);
            machine::copy_async<4>(&word(6), source.data(), bytes > 4 ? 4 : bytes);
            machine::commit_copies();
            machine::wait_for_copies<0>();
        });
        record.plant("a copy from" + text_of(bytes), block_of(1),
                     [&] { machine::copy_async<8>(&word(0), source.data() + 248 + bytes, 8); });
        record.plant("a copy to" + text_of(bytes), block_of(1), [&] {
            machine::copy_async<4>(machine::dynamic_shared() + 8184 + bytes, source.data(), 4);
        });
    }
    for (int bytes = -16; bytes <= 288; bytes += 8) {
        record.plant("bulk_load of" + text_of(bytes), block_of(1), [&] {
            make_barrier();
            machine::mbarrier_arrive_and_expect(barrier(), bytes > 0 ? bytes : 0);
            machine::bulk_load(&word(0), source.data(), bytes, barrier());
            wait(0);
        });
        record.plant("bulk_prefetch of" + text_of(bytes), block_of(1),
                     [&] { machine::bulk_prefetch(source.data(), bytes); });
        record.plant("bulk_store of" + text_of(bytes), block_of(1), [&] {
            for (int i = 0; i < 60; ++i) word(i) = 1;
            machine::fence_for_bulk_copies();
            machine::bulk_store(target.data(), &word(0), bytes);
            machine::commit_bulk_stores();
            machine::wait_for_bulk_reads<0>();
        });
    }
    fixture const global;
    auto const map = map_of(global.input.data(), spio::sim::swizzle_span::none);
    auto const* const words = reinterpret_cast<unsigned char const*>(&map);
    for (int offset = 0; offset <= 64; offset += 16) {
        record.plant("prefetch_map at" + text_of(offset), block_of(1), [&] {
            machine::prefetch_map(reinterpret_cast<spio::tensor_map_words const*>(words + offset));
        });
    }
    // Of three groups, so many are waited for, and what the others use is touched.
    for (int awaited = 0; awaited < 4; ++awaited) {
        for (int touched = 0; touched < 3; ++touched) {
            auto const name =
                ", of which are awaited" + text_of(awaited) + ", touched" + text_of(touched);
            record.plant("stores" + name, block_of(1), [&] {
                for (int i = 0; i < 16; ++i) word(i) = 1;
                machine::fence_for_bulk_copies();
                for (int i = 0; i < 3; ++i) {
                    machine::bulk_store(target.data() + 16 * i, &word(4 * i), 16);
                    machine::commit_bulk_stores();
                }
                if (awaited == 1) machine::wait_for_bulk_reads<2>();
                if (awaited == 2) machine::wait_for_bulk_stores<1>();
                if (awaited == 3) machine::wait_for_bulk_reads<0>();
                word(4 * touched) = 2;
            });
            record.plant("copies" + name, block_of(1), [&] {
                for (int i = 0; i < 3; ++i) {
                    machine::copy_16_async(&word(4 * i), source.data(), 16);
                    machine::commit_copies();
                }
                if (awaited == 1) machine::wait_for_copies<2>();
                if (awaited == 2) machine::wait_for_copies<1>();
                if (awaited == 3) machine::wait_for_copies<0>();
                word(100) = word(4 * touched);
            });
        }
    }
}

} // namespace

TEST_CASE("reports of accesses and copies at the ends of memory are those that were recorded") {
    report_record record;
    plant_accesses<unsigned char>(record);
    plant_accesses<unsigned short>(record);
    plant_accesses<unsigned>(record);
    plant_accesses<unsigned long long>(record);
    plant_copies(record);
    record.compare(__FILE__, "bounds.txt", "SPIO_RECORD_BOUNDS");
}
