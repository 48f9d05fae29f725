// The one error of Spio: its kind, what was tried, for what, why it failed, and the tool's own log.
// SPDX-License-Identifier: Apache-2.0
module;

#include <stdexcept>
#include <string>

export module spio.error;

export namespace spio {

// What a program can do about an error; its text is for people.
enum class error_kind {
    invalid,     // a problem, an argument or a file that breaks a rule
    not_found,   // a file, a device, a driver, or a kernel's compiled image
    unsupported, // valid, but not for this architecture
    no_compiler, // a kernel would have to be compiled, and there is no compiler
    cold_kernel, // a kernel that is not loaded was asked for while a graph is captured
    tool_failed, // a compiler or another program
    device,      // the driver, or the GPU
    misuse,      // a kernel's wrong access or race, found by the host device (a simulated GPU)
    io,          // the file system or the operating system
    internal,    // a defect of Spio
};

// An error whose text is made of its parts, TRIED for SUBJECT: REASON, and the log below that.
//     parse for axpby n=-1: n is -1, but must be at least 0
class error : public std::runtime_error {
  public:
    error(error_kind kind, std::string tried, std::string subject, std::string reason,
          std::string log = {}, int code = 0);

    error_kind kind() const { return kind_value; }
    std::string const& tried() const { return tried_text; }
    std::string const& subject() const { return subject_text; }
    std::string const& reason() const { return reason_text; }
    // What the tool printed, uncut; empty if it printed nothing.
    std::string const& log() const { return log_text; }
    // The tool's own number for the failure, a CUresult for example; 0 if it has none.
    int code() const { return code_value; }

  private:
    error_kind kind_value;
    int code_value;
    std::string tried_text, subject_text, reason_text, log_text;
};

} // namespace spio
