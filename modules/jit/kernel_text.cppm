// The text that is compiled at run time, under the names that it has here.
// SPDX-License-Identifier: Apache-2.0
export module spio.jit:kernel_text;

export import spio.text;
import spio.spec;

export namespace spio::jit {

using spio::header;
using spio::kernel_text;
using spio::kernel_text_digest;

} // namespace spio::jit
