# Names the compiler NVRTC that packages of Python bring, where no variable of the environment does.
# SPDX-License-Identifier: Apache-2.0
import importlib.util
import os
import pathlib


def installed():
    """The file of the compiler that the package nvidia-cuda-nvrtc has; PyTorch's wheels bring it."""
    package = importlib.util.find_spec("nvidia")
    folders = [] if package is None else package.submodule_search_locations
    files = [file for folder in folders for file in sorted(pathlib.Path(folder).glob("cu13/lib/libnvrtc.so.*"))]
    return next((str(file.resolve()) for file in files), None)


# Sets the variable SPIO_NVRTC to that file, unless the user has set it: there the library looks for NVRTC.
def use_installed():
    if "SPIO_NVRTC" not in os.environ and (file := installed()) is not None:
        os.environ["SPIO_NVRTC"] = file
