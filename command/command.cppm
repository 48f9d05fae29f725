// The `spio` command: what it can be asked, and how it answers.
// SPDX-License-Identifier: Apache-2.0
export module spio.command;

export import spio.command_line;
export import :ending;
export import :device;
export import :finding;
export import :host_kernels;
export import :json;
export import :outcome;
export import :random;
export import :rounding;
export import :sources;
export import :stage;
export import :subcommands;
export import :timing;
export import :trial;
