// All of Spio behind one name, but the host device (a simulated GPU), which needs Boost.Context.
// SPDX-License-Identifier: Apache-2.0
export module spio;

export import spio.aot;
export import spio.cache;
export import spio.cuda;
export import spio.dims;
export import spio.error;
export import spio.families;
export import spio.image;
export import spio.jit;
export import spio.launch;
export import spio.runtime;
export import spio.spec;
export import spio.text;
export import spio.tuned;
