// What is wrong with a problem, a specialization, or an image of one.
// SPDX-License-Identifier: Apache-2.0
module;

#include <stdexcept>
#include <string>

export module spio.spec:error;

export namespace spio {

// What was tried, for what, and why it did not work.
//     parse for axpby n=-1: n is -1, but must be at least 0
class error : public std::runtime_error {
  public:
    error(std::string what_was_tried, std::string for_what, std::string why)
        : std::runtime_error(what_was_tried + " for " + for_what + ": " + why),
          tried_text(std::move(what_was_tried)),
          subject_text(std::move(for_what)),
          reason_text(std::move(why)) {}

    std::string const& tried() const { return tried_text; }
    std::string const& subject() const { return subject_text; }
    std::string const& reason() const { return reason_text; }

  private:
    std::string tried_text, subject_text, reason_text;
};

} // namespace spio
