// Trains models on a sweep of this GPU, and puts them where runtimes read them.
// SPDX-License-Identifier: Apache-2.0
//
// A sweep is a file of measured times. A model is a table of regression trees, a text file.
// bench/models/train.py makes models of a sweep; it takes XGBoost, and a program of the build that
// computes features of configurations. A policy says whether kernels may come from packs (files of
// them), from a compiler at run time, or both.
module;

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.command;

import spio.aot;
import spio.cuda;
import spio.launch;
import spio.model;
import spio.runtime;
import spio.spec;
import spio.system;
import spio.tuned;

namespace spio::command {

std::string_view source_folder(); // that CMake fills in when it configures the build

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(exit_status status, std::string const& reason) {
    throw failure(status, reason);
}

// What trains: a Python with XGBoost, the script, and the program that computes features.
struct trainer {
    fs::path python, script, features;

    // Throws a failure that says how to get what is missing, or whom not to trust.
    static trainer in(fs::path const& sources) {
        trainer found = {.python = sources / "build/models/bin/python",
                         .script = sources / "bench/models/train.py",
                         .features = {}};
        std::error_code ignored;
        if (!fs::exists(found.script, ignored)) {
            refuse(exit_status::not_found,
                   "models are trained by Spio's sources, and " + quote(sources.string()) +
                       " has no bench/models/train.py; name a checkout by --sources FOLDER");
        }
        if (!fs::exists(found.python, ignored)) {
            refuse(exit_status::not_found, "models are trained by XGBoost, which is not there; "
                                           "'./bootstrap models' in " +
                                               quote(sources.string()) + " installs it");
        }
        found.features = features_in(sources);
        check_files(found);
        return found;
    }

  private:
    // The program of the preset release, or else that of the only build that has one.
    static fs::path features_in(fs::path const& sources) {
        constexpr auto name = "bench/models_features";
        std::error_code ignored;
        auto const released = sources / "build/release" / name;
        if (fs::exists(released, ignored)) return released;
        std::vector<fs::path> programs;
        for (auto const& preset : fs::directory_iterator(sources / "build", ignored)) {
            if (fs::exists(preset.path() / name, ignored)) programs.push_back(preset.path() / name);
        }
        if (programs.size() == 1) return programs.front();
        std::string const count =
            programs.empty() ? "that is not built yet" : "that several builds have, release not";
        refuse(exit_status::not_found,
               "features are computed by a program " + count + "; in " + quote(sources.string()) +
                   ": cmake --build --preset release --target models_features");
    }
    // Refuses what others could have written of what training runs: the two programs, every file
    // and folder beside the script, since Python imports sources, what it compiled of them, and
    // libraries (.so, first of all), and the folders that have the packages of its environment.
    // The packages themselves are not looked at.
    static void check_files(trainer const& trainer) {
        std::vector<fs::path> files = {trainer.python, trainer.features};
        auto folders = folders_of_environment(trainer.python.parent_path().parent_path());
        list(trainer.script.parent_path(), files, folders);
        std::ranges::sort(files);
        std::ranges::sort(folders);
        for (auto const& file : files) refuse_if(distrust(file));
        for (auto const& path : folders) {
            folder const opened(operating_system(), path.string(), folder::use::shared);
            refuse_if(opened.refusal());
        }
    }
    static void refuse_if(std::string const& reason) {
        if (!reason.empty()) refuse(exit_status::not_found, reason);
    }
    // Adds the regular files and the folders, links to them too, that are below a folder.
    static void list(fs::path const& top, std::vector<fs::path>& files,
                     std::vector<fs::path>& folders) {
        auto last = top;
        std::error_code failed;
        fs::recursive_directory_iterator place(top, failed);
        for (; !failed && place != fs::recursive_directory_iterator(); place.increment(failed)) {
            last = place->path();
            std::error_code ignored;
            if (fs::is_regular_file(last, ignored)) files.push_back(last);
            if (fs::is_directory(last, ignored)) folders.push_back(last);
        }
        if (failed) {
            refuse(exit_status::not_found, quote(last.string()) + ": " + failed.message());
        }
    }
    // The folder of a Python environment, and those below it down to its packages'.
    static std::vector<fs::path> folders_of_environment(fs::path const& environment) {
        std::error_code ignored;
        auto const root = fs::canonical(environment, ignored);
        std::vector<fs::path> folders = {root, root / "lib"};
        for (auto const& python : fs::directory_iterator(root / "lib", ignored)) {
            folders.insert(folders.end(), {python.path(), python.path() / "site-packages"});
        }
        std::erase_if(folders, [&](auto const& path) { return !fs::is_directory(path, ignored); });
        return folders;
    }
};

// The folder of this user's models, made if it is missing.
fs::path owned_model_folder() {
    auto const place = tuned::model_folder_of_environment(operating_system(), folder::use::owned);
    if (place.path.empty()) {
        refuse(exit_status::not_written, "there is no place for models: " + place.refusal);
    }
    std::error_code failed;
    fs::create_directory(place.path, failed);
    if (!failed) fs::permissions(place.path, fs::perms::owner_all, failed);
    if (failed) refuse(exit_status::not_written, place.path.string() + ": " + failed.message());
    return place.path;
}

// Ends with a failure unless the sweep is one of this GPU.
void check_origin(fs::path const& sweep, std::string const& gpu, std::string const& arch) {
    std::ifstream input(sweep);
    if (!input) refuse(exit_status::not_found, quote(sweep.string()) + " cannot be read");
    std::string line;
    while (std::getline(input, line) && !line.starts_with("# ")) {
    }
    if (tuned::is_trained_on(line, gpu, arch)) return;
    refuse(exit_status::check_failed, quote(sweep.string()) + " is no sweep of " + gpu + " (" +
                                          arch + "): it begins with " + quote(line.substr(0, 100)));
}

// The name of a model. What runtimes would not accept is a failure of the training.
std::string name_of_model(std::string const& table, fs::path const& file) {
    try {
        return model::forest::parse(table, file.string()).name();
    } catch (spio::error const& e) {
        refuse(exit_status::tool_failed, std::string("training made no model: ") + e.what());
    }
}

} // namespace

opened_runtime open_gpu_alone(std::string_view device, policy policy, std::vector<aot::pack> packs,
                              io const& io) {
    auto opened = open_runtime(device, policy, std::move(packs), io);
    if (opened.gpu) return opened;
    refuse(exit_status::not_found,
           "configurations are measured on a GPU, and there is none" +
               (opened.no_gpu_reason.empty() ? "" : ": " + opened.no_gpu_reason));
}

std::vector<std::string> add_models_of_gpu(io const& io) {
    try {
        auto const driver = io.open_driver();
        if (driver->device_count() == 0 || policy_of_environment() == policy::aot_only) return {};
        auto const gpu = driver->device(0);
        return tuned::add_models(tuned::model_folder_of_environment().path, gpu.name(),
                                 text_of(arch_of(gpu)));
    } catch (spio::error const&) { // no driver, or no such policy: others tell it
        return {};
    }
}

exit_status train_models(arguments const& args, io const& io) {
    fs::path const sweep = fs::absolute(args.value("--train"));
    auto const sources = fs::absolute(args.value("--sources", source_folder()));
    auto const opened =
        open_gpu_alone(args.value("--device"), policy::aot_then_jit, /*packs=*/{}, io);
    auto const gpu = opened.gpu->name();
    auto const arch = opened.runtime->arch();
    check_origin(sweep, gpu, text_of(arch));
    auto const [python, script, features] = trainer::in(sources);
    temporary_folder const scratch("spio-train");
    {
        progress const progress(io, "training models of " + gpu);
        auto const done = spio::run({python.string(), script.string(), sweep.string(), "--program",
                                     features.string(), "--out", scratch.path().string(), "--chip",
                                     std::string(chip_of(arch).name)},
                                    &scratch);
        if (done.status != 0) {
            refuse(exit_status::tool_failed,
                   "training failed: " + script.string() + " says " + done.output);
        }
    }
    std::vector<fs::path> models;
    for (auto const& file : fs::directory_iterator(scratch.path())) {
        bool const is_model = file.path().extension() == ".txt" &&
                              file.path().filename().string().find('_') != std::string::npos;
        if (is_model) models.push_back(file.path());
    }
    std::ranges::sort(models);
    auto const folder = owned_model_folder();
    std::string text;
    for (auto& file : models) {
        auto const table = read_file(file, model::forest::most_bytes);
        text += name_of_model(table, file) + ": ";
        file = folder / file.filename();
        write_file(file, table, trusted_mode);
        text += file.string() + "\n";
    }
    print_result(
        args, io,
        json::object({{"gpu", gpu},
                      {"arch", text_of(arch)},
                      {"models",
                       json::array(models, [](auto const& file) { return json(file.string()); })}}),
        "trained on times of " + gpu + " (" + text_of(arch) + ")\n" + text);
    return exit_status::success;
}

} // namespace spio::command
