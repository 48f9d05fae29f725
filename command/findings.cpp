// Looks for NVRTC, the cache's folder, and packs.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

module spio.command;

import spio.aot;
import spio.cache;
import spio.jit;

namespace spio::command {

finding nvrtc_finding() {
    finding found = {.name = "NVRTC"};
    auto places = json::array({});
    bool is_there = true; // unless there is no place to look at
    try {
        auto const all = jit::nvrtc_places();
        is_there = !all.empty();
        places = json_of_each(all, [](auto const& each) { return json(each.string()); });
        jit::nvrtc const compiler;
        auto const version =
            std::to_string(compiler.major()) + "." + std::to_string(compiler.minor());
        found.words = version + " in " + compiler.path().string();
        found.facts = json::object({{"version", version},
                                    {"path", compiler.path().string()},
                                    {"build", compiler.build_id()},
                                    {"places", places}});
        return found;
    } catch (spio::error const& e) {
        found.is = is_there ? state::wrong : state::missing;
        found.words = e.what();
        found.advice = std::getenv("SPIO_NVRTC") != nullptr
                           ? "set SPIO_NVRTC to the whole path of NVRTC's file, or unset it"
                       : is_there
                           ? "let nobody else be able to write there, or install another"
                           : "to compile kernels at run time, set CUDA_HOME to a toolkit, or "
                             "pip install nvidia-cuda-nvrtc and activate that environment";
    }
    found.facts = json::object(
        {{"version", nullptr}, {"path", nullptr}, {"build", nullptr}, {"places", places}});
    return found;
}

namespace {

std::string file_system_name(long type) {
    // As statfs(2) lists them.
    constexpr std::pair<unsigned long, char const*> known[] = {
        {0xef53, "ext4"},      {0x58465342, "xfs"},     {0x9123683e, "btrfs"},
        {0x01021994, "tmpfs"}, {0x794c7630, "overlay"}, {0x6969, "nfs"},
        {0x2fc12fc1, "zfs"},   {0x0bd00bd0, "lustre"},  {0xff534d42, "cifs"},
        {0x65735546, "fuse"},  {0x47504653, "gpfs"},    {0x01021997, "9p"},
    };
    auto const is = static_cast<unsigned long>(type) & 0xffffffff;
    for (auto const& [number, name] : known) {
        if (number == is) return name;
    }
    return "file system " + std::to_string(is);
}

std::string owner_name(uid_t owner) {
    passwd entry = {};
    passwd* found = nullptr;
    char text[1024];
    bool const is_known = ::getpwuid_r(owner, &entry, text, sizeof text, &found) == 0 && found;
    return is_known ? entry.pw_name : "user " + std::to_string(owner);
}

std::string mode_text(mode_t mode) {
    std::string digits = "0000";
    for (std::size_t i = 4; i-- > 0; mode >>= 3) digits[i] = static_cast<char>('0' + (mode & 7));
    return digits;
}

void look_at(cache::folder const& in, finding& found) {
    struct stat what = {};
    struct statfs disk = {};
    if (::fstat(in.descriptor(), &what) != 0 || ::fstatfs(in.descriptor(), &disk) != 0) {
        found.is = state::wrong;
        found.words = in.path() + " can be opened, but nothing is told of it";
        return;
    }
    auto const all = cache::inventory_of(cache::operating_system(), in);
    std::uint64_t entries = 0, bytes = 0;
    for (auto const& each : all.files) {
        if (each.kind != cache::file_kind::entry) continue;
        ++entries;
        bytes += each.bytes;
    }
    auto const free = std::uint64_t{disk.f_bavail} * static_cast<std::uint64_t>(disk.f_bsize);
    auto const kind = file_system_name(disk.f_type);
    found.words = in.path() + ", " + counted(entries, "image") + ", " + spelled_bytes(bytes);
    found.lines.push_back("mode " + mode_text(what.st_mode & 07777) + ", of " +
                          owner_name(what.st_uid) + ", " + kind + ", " + spelled_bytes(free) +
                          " free");
    found.facts = json::object({{"path", in.path()},
                                {"mode", mode_text(what.st_mode & 07777)},
                                {"owner", owner_name(what.st_uid)},
                                {"file_system", kind},
                                {"free_bytes", free},
                                {"images", entries},
                                {"bytes", bytes}});
    constexpr std::uint64_t little = 100'000'000;
    if (::faccessat(in.descriptor(), ".", W_OK, AT_EACCESS) != 0) {
        found.is = state::wrong;
        found.words += ", where nothing can be written";
        found.advice = "let its owner write there, or set SPIO_CACHE_DIR to another folder";
    } else if (free < little) {
        found.is = state::wrong;
        found.words += ", on a disk that is full";
        found.advice = "make room, or set SPIO_CACHE_DIR to a folder elsewhere";
    } else if (kind == "nfs" || kind == "cifs") {
        found.advice = "where locks do not work over the network, several processes may compile "
                       "the same kernel; a folder on this machine is faster";
    }
}

} // namespace

finding cache_finding() {
    finding found = {.name = "cache"};
    auto const in =
        cache::folder::of_environment(cache::operating_system(), cache::folder::use::existing);
    if (in) {
        look_at(in, found);
    } else if (in.is_missing()) {
        found.words = in.path() + " will be made when something is compiled";
        found.facts = json::object({{"path", in.path()}, {"images", 0}, {"bytes", 0}});
    } else if (in.refusal() == "SPIO_CACHE is off") {
        found.is = state::missing;
        found.words = "SPIO_CACHE is off: each process compiles for itself";
        found.advice = "unset SPIO_CACHE to keep what is compiled";
    } else {
        found.is = state::wrong;
        found.words = in.refusal();
        found.advice = "set SPIO_CACHE_DIR to a folder that only you can write to";
    }
    return found;
}

finding packs_finding(line const& asked, surroundings const& around) {
    finding found = {.name = "packs"};
    std::vector<std::string> paths;
    for (auto const named : asked.values(pack_option.name)) paths.emplace_back(named);
    for (auto const& near : packs_nearby(around)) paths.push_back(near.string());
    std::vector<json> all;
    for (auto const& path : paths) {
        try {
            auto const pack = read_pack(path);
            pack.verify();
            found.lines.push_back(path + ", " + counted(pack.list().size(), "image"));
            all.push_back(json::object(
                {{"path", path}, {"images", pack.list().size()}, {"complaint", nullptr}}));
        } catch (std::runtime_error const& e) {
            found.is = state::wrong;
            found.lines.emplace_back(e.what());
            found.advice = "build it again, or take it away";
            all.push_back(
                json::object({{"path", path}, {"images", nullptr}, {"complaint", e.what()}}));
        }
    }
    found.facts = json::array(all);
    found.words = paths.empty() ? "none beside the program; --pack FILE names others"
                                : counted(paths.size(), "pack");
    return found;
}

} // namespace spio::command
