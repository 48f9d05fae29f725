// Words an outcome.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstdint>
#include <string>

module spio.command;

import spio.image;
import spio.launch;
import spio.spec;

namespace spio::command {

namespace {

json verdict_json(verdict const& v) {
    return json::object({{"compared", v.compared},
                         {"wrong", v.wrong},
                         {"worst_of_bound", v.worst},
                         {"first_wrong", v.wrong > 0 ? json(v.first) : json(nullptr)}});
}

json timing_json(timing const& t, std::uint64_t bytes) {
    return json::object({{"microseconds", t.microseconds},
                         {"copy_microseconds", t.copy_microseconds},
                         {"over_copy", t.microseconds / t.copy_microseconds},
                         {"bytes_moved", bytes},
                         {"replays", t.replays},
                         {"launches", t.launches},
                         {"is_cold", t.is_cold}});
}

json kernel_json(staged const& each) {
    return json::object({{"symbol", each.from.symbol},
                         {"line", each.from.line},
                         {"made_for", text_of(each.from.arch)},
                         {"kind", name_of(each.from.kind)},
                         {"from", each.from.made_by},
                         {"origin", name_of(each.from.found)},
                         {"bytes", each.from.bytes.size()},
                         {"found_milliseconds", each.found_milliseconds},
                         {"loaded_milliseconds", each.loaded_milliseconds}});
}

} // namespace

json outcome_json(outcome const& got, stage const& at, std::string const& why_no_gpu) {
    auto const time = got.timed ? timing_json(*got.timed, got.bytes_moved) : json(nullptr);
    bool const is_host = at.on().arch().is_host;
    return json::object(
        {{"problem", got.problem},
         {"device",
          json::object({{"name", at.on().name()},
                        {"arch", text_of(at.on().arch())},
                        {"why_no_gpu", why_no_gpu.empty() ? json(nullptr) : json(why_no_gpu)}})},
         {"kernels", json_of_each(at.kernels(), kernel_json)},
         {"check", got.checked ? verdict_json(*got.checked) : json(nullptr)},
         {"time", time},
         {"host_milliseconds", is_host ? json(got.host_milliseconds) : json(nullptr)}});
}

std::string outcome_text(outcome const& got, stage const& at, std::string const& why_no_gpu) {
    std::string text =
        got.problem + " on " + at.on().name() + " (" + text_of(at.on().arch()) + ")\n";
    auto const add = [&](char const* what, std::string const& is) {
        text += "  " + padded(what, 8) + is + "\n";
    };
    if (!why_no_gpu.empty()) add("no GPU", why_no_gpu);
    for (auto const& each : at.kernels()) {
        add("image", each.from.symbol + " from " + each.from.made_by + ", found in " +
                         spelled_milliseconds(each.found_milliseconds) + ", loaded in " +
                         spelled_milliseconds(each.loaded_milliseconds));
    }
    if (at.on().arch().is_host) {
        add("ran", spelled_milliseconds(got.host_milliseconds) +
                       ", every load and store watched: a speed it is not");
    }
    if (got.checked) {
        auto const& v = *got.checked;
        if (v.wrong == 0) {
            add("check", counted(v.compared, "result") +
                             " within what rounding may do; the worst at " +
                             spelled(100 * v.worst, 2) + " % of it");
        } else {
            add("WRONG", std::to_string(v.wrong) + " of " + counted(v.compared, "result") +
                             "; the first: " + v.first);
        }
    }
    if (got.timed) {
        auto const& t = *got.timed;
        auto const bytes = static_cast<double>(got.bytes_moved);
        add("time", spelled(t.microseconds) + " us, " + spelled_bytes(got.bytes_moved) + " at " +
                        spelled(bytes / t.microseconds / 1e6) + " TB/s");
        add("copy", spelled(t.copy_microseconds) + " us for the same bytes: the kernel takes " +
                        spelled(t.microseconds / t.copy_microseconds) + " times that");
        if (!t.is_cold) add("", "the arrays stay in the GPU's cache: too small for a cold time");
    }
    return text;
}

} // namespace spio::command
