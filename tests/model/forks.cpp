// A forked process finds and adds models, whatever threads of its parent were doing.
// SPDX-License-Identifier: Apache-2.0
//
// A local model is one that was trained on this machine.
#include <doctest/doctest.h>

#include "drawn_trees.h"

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

import spio.error;
import spio.model;

#include "small_table.h"

namespace model = spio::model;

namespace {

std::string table_named(std::string const& name) {
    auto text = head + trees;
    return text.replace(text.find("a test"), 6, name);
}

} // namespace

TEST_CASE(
    "whenever a process is forked while a thread adds models, it finds them and adds its own") {
    std::atomic<std::size_t> added = 0;
    std::atomic<bool> is_over = false;
    std::jthread const adding([&] {
        while (!is_over) {
            model::add_local(table_named("number " + std::to_string(added)), "a test", "sm_80");
            ++added;
        }
    });
    int right = 0;
    constexpr int rounds = 20;
    for (int round = 0; round < rounds; ++round) {
        std::size_t const known = added;
        pid_t const child = fork();
        if (child == 0) {
            alarm(60); // seconds until a signal ends the process
            auto const count = model::local_count();
            model::add_local(table_named("the child's"), "a test", "sm_80");
            bool const is_right =
                count >= known && model::local_count() == count + 1 &&
                model::find_local("the child's", "sm_80") != nullptr &&
                (known == 0 ||
                 model::find_local("number " + std::to_string(known - 1), "sm_80") != nullptr);
            _exit(is_right ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        right += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    is_over = true;
    CHECK(right == rounds);
}

TEST_CASE("threads that add models at the same time add each of them once") {
    auto const count = model::local_count();
    constexpr std::size_t names = 100;
    {
        auto const add_all = [] {
            for (std::size_t i = 0; i < names; ++i) {
                model::add_local(table_named("shared " + std::to_string(i)), "a test", "sm_80");
            }
        };
        std::jthread const first(add_all), second(add_all), third(add_all);
    }
    CHECK(model::local_count() == count + names);
}
