// The words of a command: read, judged, and answered in words.
// SPDX-License-Identifier: Apache-2.0
export module spio.command_line;

export import :failure;
export import :line;
export import :surroundings;
export import :wording;
