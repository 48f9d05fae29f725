// All of Spio behind one name.
// SPDX-License-Identifier: Apache-2.0
export module spio;

export import spio.dims;
