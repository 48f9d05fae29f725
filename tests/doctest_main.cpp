// The main function of every doctest program: it fails where no case runs, and lists skipped ones.
// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

namespace {

// How many cases a filter leaves; those that are skipped do not count.
unsigned case_count = 0;

// Prints each skipped case and why it is skipped: the reason is the case's description.
struct skip_listener : doctest::IReporter {
    explicit skip_listener(doctest::ContextOptions const&) {}
    void report_query(doctest::QueryData const&) override {}
    void test_run_start() override {}
    void test_run_end(doctest::TestRunStats const& stats) override {
        case_count = stats.numTestCasesPassingFilters;
    }
    void test_case_start(doctest::TestCaseData const&) override {}
    void test_case_reenter(doctest::TestCaseData const&) override {}
    void test_case_end(doctest::CurrentTestCaseStats const&) override {}
    void test_case_exception(doctest::TestCaseException const&) override {}
    void subcase_start(doctest::SubcaseSignature const&) override {}
    void subcase_end() override {}
    void log_assert(doctest::AssertData const&) override {}
    void log_message(doctest::MessageData const&) override {}
    void test_case_skipped(doctest::TestCaseData const& test) override {
        if (!test.m_skip) return;
        char const* const reason = test.m_description ? test.m_description : "it says no reason";
        std::printf("skipped: %s: %s\n", test.m_name, reason);
    }
};
DOCTEST_REGISTER_LISTENER("skip", 1, skip_listener);

} // namespace

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    int const status = context.run();
    if (context.shouldExit()) return status; // it was asked to list its cases, for example
    if (case_count == 0) std::fputs("no test case passes the filter\n", stderr);
    return case_count == 0 ? 1 : status;
}
