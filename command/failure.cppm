// How the command ends, and why it could not go on.
// SPDX-License-Identifier: Apache-2.0
module;

#include <stdexcept>
#include <string>

export module spio.command_line:failure;

export namespace spio::command {

enum class exit_code {
    success = 0,
    check_failed = 1, // results, packs, entries or a machine that are not as they should be
    usage = 2,
    not_found = 3, // a file, a device, a compiler, an image
    tool_failed = 4,
    not_written = 5,
};

// One line: what was tried, why it did not work, what to do.
class failure : public std::runtime_error {
  public:
    failure(exit_code how, std::string const& why) : std::runtime_error(why), code_(how) {}
    exit_code code() const { return code_; }

  private:
    exit_code code_;
};

} // namespace spio::command
