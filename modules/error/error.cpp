// Composes the text of an error: what was tried, for what, why it failed, and the tool's log.
// SPDX-License-Identifier: Apache-2.0
//
// An error is about an attempt for a subject, such as "parse" for "axpby n=-1", and the parts of
// its text can be asked for one by one.
module;

#include <stdexcept>
#include <string>
#include <utility>

module spio.error;

namespace spio {

error::error(error_kind kind, std::string tried, std::string subject, std::string reason,
             std::string log, int code)
    : std::runtime_error(tried + " for " + subject + ": " + reason +
                         (log.empty() ? "" : "\n" + log)),
      kind_value(kind),
      code_value(code),
      tried_text(std::move(tried)),
      subject_text(std::move(subject)),
      reason_text(std::move(reason)),
      log_text(std::move(log)) {}

} // namespace spio
