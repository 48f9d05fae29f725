// What went wrong between us and the driver.
// SPDX-License-Identifier: Apache-2.0
module;

#include <stdexcept>
#include <string>
#include <utility>

export module spio.cuda:error;

import :abi;

export namespace spio::cuda {

// What we tried, for what, and the driver's own name and words for why it did not work.
//     cuLibraryLoadData for image axpby (6376 bytes): CUDA_ERROR_INVALID_IMAGE: device kernel image
//     is invalid
// What the driver was not even asked for has a sentence of ours in its place, and invalid_value.
class error : public std::runtime_error {
  public:
    error(std::string what_was_tried, std::string for_what, std::string named, std::string worded,
          abi::result numbered = abi::result::invalid_value)
        : std::runtime_error(what_was_tried + " for " + for_what + ": " + named +
                             (worded.empty() ? "" : ": " + worded)),
          tried_text(std::move(what_was_tried)),
          subject_text(std::move(for_what)),
          name_text(std::move(named)),
          words_text(std::move(worded)),
          code_number(numbered) {}

    std::string const& tried() const { return tried_text; }
    std::string const& subject() const { return subject_text; }
    std::string const& name() const { return name_text; }
    std::string const& words() const { return words_text; }
    abi::result code() const { return code_number; }

  private:
    std::string tried_text, subject_text, name_text, words_text;
    abi::result code_number;
};

} // namespace spio::cuda
