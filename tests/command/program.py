# Runs the program `spio`: what it prints, how it ends, and what it does with what is hostile.
# SPDX-License-Identifier: Apache-2.0
#
# program.py SPIO CUDA [TEST...]: all functions of tests, or those that are named. Of asking.py, expect() notes a check,
# expect_code() one of the exit status (1 a check failed, 2 misuse, 3 not found, 4 a tool failed, 5 nothing could be
# written) and of words that are printed, and object_of() returns what spio prints as JSON. A pack is a file of compiled
# kernels (images), a manifest a list of those to compile, the cache a folder of those compiled before.
import os
import shutil
import signal
import subprocess
import sys

from asking import ask, cuda, complaints, done, expect, expect_code, home, object_of, plain, spio, work
from compiler import test_missing_compiler
from cuda_python import test_numbers, test_python, test_python_pack


def test_help():
    for words in [["--help"], ["-h"], ["pack", "--help"]]:
        expect(b"usage: spio SUBCOMMAND" in expect_code(0, *words).stdout, "the help of all")
    names = ["doctor", "list", "show", "run", "run-python", "tune", "pack build", "pack list", "pack verify",
             "cache list", "cache clear", "cache verify", "draw", "completion", "version"]
    for name in names:
        got = expect_code(0, *name.split(), "--help")
        expect(f"usage: spio {name}".encode() in got.stdout, f"help of {name}", got)
    expect_code(2, says="nothing is asked for")
    expect_code(2, "packk", says="did you mean 'pack'?")
    expect_code(0, "--version", says="spio ")
    expect(object_of("version")["version"].count(".") == 2, "a version")


def test_list():
    families = {each["name"]: each for each in object_of("list")["families"]}
    expect({"axpby", "conv2d", "layernorm_2d"} <= set(families), "the families")
    channels = families["layernorm_2d"]["fields"][0]
    expect(channels["bound"] == "at least 8, at most 2048, a multiple of 8", "a bound")
    for name, family in families.items():
        if family["example"] is None:
            continue
        shown = object_of("show", name, *family["example"].split(), "--arch", "sm_80")
        expect(shown["kernels"][0]["symbol"] in shown["kernels"][0]["source"], f"{name} is shown")
        expect_code(0, "run", name, *family["example"].split(), "--check", "--device", "host")


def test_run():
    got = object_of("run", "layernorm_2d", "channels=64", "positions=5", "--check", "--device", "host")
    expect(got["check"]["compared"] == 320 and got["check"]["wrong"] == 0, "results are right")
    expect(0 < got["check"]["worst_of_bound"] <= 1, "and within their bound")
    expect(got["kernels"][0]["kind"] == "host", "from the host")
    expect_code(0, "run", "axpby", "n=0", "--check", "--device", "host")
    layer = ["conv2d", "n=8", "c=16", "h=14", "w=14"]
    expect_code(0, "run", *layer, "pass=dgrad", "--check", "--device", "host")
    got = object_of("run", *layer, "pass=wgrad", "bias=true", "type=bf16", "gradient=bf16", "--check", "--device", "host")
    expect(got["check"]["compared"] == 16 * 9 * 8 + 16 and got["check"]["wrong"] == 0, "both gradients")
    expect(len(got["kernels"]) == 2, "by two kernels")
    expect_code(2, "run", *layer, "r=8", says="r is 8, but must be at least 1, at most 7")
    other = ["layernorm_2d", "channels=72", "positions=3", "--device", "host"]
    expect_code(3, "run", *other, "--policy", "aot_only",
                says="no kernel of 'layernorm_2d channels=72 affine=true' for the host device")
    got = object_of("run", *other, "--check")
    expect(got["check"]["compared"] == 216 and got["check"]["wrong"] == 0, "what is not there is compiled")
    expect_code(2, "run", "axpby", says="n is missing; the fields are n")
    if not os.path.exists("/dev/nvidiactl"):
        got = object_of("run", "axpby", "n=1")["device"]["why_no_gpu"]
        expect(got.count("libcuda") == 1 and "there is no CUDA driver" in got, f"told once: {got}")
    expect_code(2, "run", "conv2d", "n=1", says="is missing; the fields are n, c, h, w, ")
    expect_code(2, "run", "layernorm_2d", "chanels=64", says="did you mean 'channels'?")
    expect_code(2, "show", "conv2d", "n=1", "c=8", "h=8", "w=8", "pass=fpro", says="did you mean 'fprop'?")
    expect_code(2, "show", "layernorm_2d", "channels=64", "affine=ture", says="did you mean 'true'?")
    expect_code(2, "run", "axpby", "n=1", "n=2", says="n is given twice")
    expect_code(2, "run", "axpby", "n=x", says="must be a whole number")
    expect_code(2, "run", "axpby", "n=99999999999", says="beyond what an int holds")
    expect_code(2, "run", "axpby", "m=1", says="there is no field 'm'; the fields are n")
    expect_code(2, "run", "layernorm_2d", "channels=63", says="must be at least 8")
    expect_code(2, "run", "axpbi", "n=1", says="did you mean 'axpby'?")
    expect_code(2, "run", "axpby", "n=1", "--seed", "-1")
    expect_code(2, "run", "axpby", "n=1", "--policy", "aot")
    expect_code(2, "run", "axpby", "n=1", "--device", "host", environment={"SPIO_POLICY": "often"})
    expect_code(2, "run", "axpby", "n=1", "--device", "host", "--time", says="measures launches on a GPU")
    expect_code(3, "run", "axpby", "n=1", "--device", "host", "--arch", "sm_80")
    expect_code(2, "run", "axpby", "n=1", "--device", "host", "--arch", "sm80")
    expect_code(2, "run", "axpby", "n=1", "--device", "host", "--arch", "sm_42", says="older than sm_80")
    expect_code(2, "show", "axpby", "n=1", "--arch", "sm_900", says="(did you mean 'sm_90a'?)")
    expect_code(0, "run", *layer, "pass=wgrad", "--check", "--device", "host", says="each the exact number")


def test_packs():
    manifest = work / "kernels.manifest"
    manifest.write_text("axpby n=1000\nlayernorm_2d channels=64 # a comment\n")
    pack = work / "kernels.spiopack"
    built = object_of("pack", "build", str(manifest), "--arch", "sm_80,compute_80", "--arch", "sm_90a")
    expect(len(built["images"]) == 6 and pack.stat().st_size == built["bytes"], "six images")
    listed = object_of("pack", "list", str(pack))["packs"][0]["images"]
    expect({each["arch"] for each in listed} == {"sm_80", "compute_80", "sm_90a"}, "three archs")
    expect(object_of("pack", "verify", str(pack))["packs"][0]["is_good"], "whole")
    rows = expect_code(0, "pack", "list", str(pack)).stdout.decode().splitlines()[1:]
    for row, image in zip(rows, listed):
        columns = [column.strip() for column in row.strip().split("  ") if column]
        expect(columns[:2] == [image["line"], image["arch"]], f"columns of {row}")
    shown = object_of("show", "axpby", "n=7", "--arch", "sm_86", "--pack", str(pack))
    expect(shown["kernels"][0]["image_from"] == "pack", "the pack has it")

    damaged = bytearray(pack.read_bytes())
    damaged[-1] ^= 1
    bad = work / "bad.spiopack"
    bad.write_bytes(damaged)
    verdicts = object_of("pack", "verify", str(bad), str(pack), code=1)["packs"]
    expect([each["is_good"] for each in verdicts] == [False, True], "one of two is damaged")
    expect_code(1, "show", "axpby", "n=7", "--pack", str(manifest), says="does not begin like a pack")
    expect_code(3, "pack", "list", "nowhere.spiopack", says="there is no pack")
    expect_code(3, "pack", "verify", "nowhere.spiopack", says="there is no pack")
    expect_code(3, "pack", "build", "nowhere.manifest", says="there is no manifest")
    expect_code(3, "pack", "build", str(manifest), "--cuda", "/nowhere", says="bin/nvcc")
    for option in [["--folder", f"{manifest}/below"], ["--output", f"{manifest}/a.spiopack"]]:
        got = expect_code(4, "pack", "build", str(manifest), "--arch", "sm_80", *option, says=f"{manifest}/")
        expect(got.stderr.count(b"\n") == 1, "one line", got)
    expect_code(2, "pack", "build", str(manifest), "--compiler", "gcc")
    expect_code(2, "pack", "build", str(manifest), "--arch", "host")
    expect_code(2, "pack", "build", str(manifest), "--arch", "sm_")
    expect_code(2, "pack", "build", str(manifest), "--arch", "sm_75", says="older than sm_80")
    expect_code(3, "pack", "build", str(manifest), "--output", str(work / "missing" / "a.spiopack"), says="there is no folder")
    expect(not (work / "missing").exists(), "no folder is made for a pack")
    wrong = work / "wrong.manifest"
    wrong.write_text("axpby n=1\nlayernorm_2d channels=63\n")
    expect_code(2, "pack", "build", str(wrong), says="wrong.manifest:2: ")
    wrong.write_text("# nothing\n")
    expect_code(2, "pack", "build", str(wrong), says="lists no kernel")
    wrong.write_text("axpby n=1\nconv2d n=1 c=8 h=8 w=8 pas=fprop\n")
    expect_code(2, "pack", "build", str(wrong), says="did you mean 'pass'?")
    wrong.write_text("layernorm_2d channels=64 positions=4\n")
    expect_code(2, "pack", "build", str(wrong),
                says="the line of its kernel is: layernorm_2d channels=64 affine=true")


def test_cache():
    folder = home / ".cache" / "spio"
    new = work / "new"
    new.mkdir(mode=0o700)
    for words in [["cache", "list"], ["cache", "verify"], ["cache", "clear"]]:
        expect_code(0, *words, says="does not exist", environment={"HOME": str(new)})
    expect_code(0, "doctor", says="will be made", environment={"HOME": str(new)})
    expect({each.name for each in new.iterdir()} <= {".nv"}, "nothing is made but by the driver")
    cubin = work / "axpby.cubin"
    kernel = object_of("show", "axpby", "n=1000", "--arch", "sm_80")["kernels"][0]
    expect(kernel["image_from"] == "nvrtc" and not list(folder.glob("*.image")), "nothing is compiled")
    expect_code(0, "show", "axpby", "n=1000", "--arch", "sm_80", "--image", str(cubin),
                says="NVRTC, which compiled it now, ")
    expect(cubin.read_bytes()[:4] == b"\x7fELF", "a cubin")
    kernel = object_of("show", "axpby", "n=1000", "--arch", "sm_80")["kernels"][0]
    expect(kernel["image_from"] == "cache", "and then it is kept")
    entries = object_of("cache", "list")["entries"]
    expect([each["symbol"] for each in entries] == [kernel["symbol"]], "one entry")
    expect_code(0, "cache", "verify", says="all as written")

    file = folder / entries[0]["name"]
    flipped = bytearray(file.read_bytes())
    flipped[len(flipped) // 2] ^= 4
    file.write_bytes(flipped)
    expect(object_of("cache", "verify", code=1)["damaged"] == 1, "a damaged entry is found")
    expect_code(1, "cache", "verify", says="its digest is another")
    expect(file.read_bytes() == flipped, "and left where it is")

    precious = work / "precious"
    precious.write_text("precious")
    (folder / ("0" * 64 + ".image")).symlink_to(precious)
    (folder / "notes").write_text("mine")
    cleared = object_of("cache", "clear")
    expect(cleared["removed"] == 2 and cleared["left"] == 1, f"cleared: {cleared}")
    expect(precious.exists() and (folder / "notes").exists(), "what is not ours stays")
    expect_code(3, "show", "axpby", "n=1", "--arch", "sm_80", "--image", str(cubin),
                environment={"SPIO_POLICY": "aot_only"})
    expect_code(5, "show", "axpby", "n=1", "--arch", "sm_80", "--image", "/nowhere/a.cubin")

    expect_code(0, "cache", "list", says="SPIO_CACHE is off", environment={"SPIO_CACHE": "off"})
    open_to_all = work / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    for words in [["list"], ["verify"], ["clear"]]:
        expect_code(1, "cache", *words, says="can be written to by others",
                    environment={"SPIO_CACHE_DIR": str(open_to_all)})
    expect_code(1, "cache", "list", environment={"SPIO_CACHE_DIR": "relative"})


def test_doctor():
    expect_code(0, "show", "axpby", "n=1000", "--arch", "sm_80", "--image", str(work / "first.cubin"))
    found = {each["name"]: each for each in object_of("doctor")["findings"]}
    expect(found["driver"]["state"] in ("good", "missing"), "a driver or none")
    expect(found["NVRTC"]["facts"]["version"].startswith("13."), "NVRTC")
    expect(found["cache"]["facts"]["mode"] == "0700", "the cache's folder")
    expect(found["cache"]["facts"]["free_bytes"] > 0, "free space")
    no_home = {"CUDA_HOME": "/nowhere", "HOME": "/nowhere", "SPIO_POLICY": "jit_only"}
    got = object_of("doctor", code=1, environment=no_home)
    expect(not got["is_good"], "no home is wrong")
    for variable in got["findings"][-1]["facts"]:
        expect(variable["value"] == (plain | no_home).get(variable["name"]), variable["name"])
    named = found["NVRTC"]["facts"]["path"]
    expect_code(0, "doctor", says="SPIO_NVRTC=" + named,
                environment={"SPIO_NVRTC": named, "CUDA_HOME": "/nowhere"})
    expect_code(1, "doctor", says="SPIO_NVRTC is not an absolute path", environment={"SPIO_NVRTC": "libnvrtc.so"})
    expect_code(1, "doctor", says="SPIO_NVRTC names one file, and it cannot be used",
                environment={"SPIO_NVRTC": "/etc/passwd"})
    expect_code(1, "doctor", says="none of aot_only", environment={"SPIO_POLICY": "often"})
    expect_code(0, "doctor", says="SPIO_POLICI is set, but not read (did you mean 'SPIO_POLICY'?)",
                environment={"SPIO_POLICI": "jit_only"})
    expect_code(1, "doctor", "--pack", "nowhere.spiopack", says="there is no pack")
    nowhere = {"SPIO_CACHE_DIR": "/proc/spio"}
    expect_code(1, "doctor", says="/proc/spio is missing, and in /proc no folder can be made",
                environment=nowhere)
    expect_code(0, "show", "axpby", "n=1", "--arch", "sm_80", "--image", str(work / "unkept"),
                says="what was compiled is not kept: /proc/spio is missing", environment=nowhere)


def test_hostile():
    fifo = work / "fifo"
    os.mkfifo(fifo)
    folder = work / "folder.spiopack"
    folder.mkdir()
    for path in [fifo, folder, "/dev/zero", "/dev/null"]:
        for words in [["pack", "list"], ["pack", "verify"], ["pack", "build"]]:
            expect_code(3, *words, str(path), says="is no file")
        expect_code(3, "run", "axpby", "n=1", "--device", "host", "--pack", str(path))
    expect_code(5, "show", "axpby", "n=1", "--arch", "sm_80", "--image", str(folder))
    for word in ["x" * 4096, "x" * 100000, b"\xff\xfe", "\x1b[2J", "a\nb", " ", "n=" + "9" * 4000,
                 "--" + "y" * 3000, "--seed=" + "9" * 3000, "-", "'; rm -rf /"]:
        for words in [["run", "axpby"], ["show"], ["pack", "list"], ["completion"], []]:
            got = ask(*words, word)
            expect(got.returncode in (2, 3), "a hostile word is refused", got)
            expect(len(got.stderr) < 6000 and not set(got.stderr) & {0x1b, 0xff}, "safely", got)
    large = work / "large.manifest"
    large.write_bytes(b"axpby n=1\n" * 200000)
    expect_code(2, "pack", "build", str(large), says="too large")
    if os.geteuid() != 0:
        closed = work / "closed.spiopack"
        closed.write_bytes(b"x")
        closed.chmod(0)
        expect_code(3, "pack", "list", str(closed), says="cannot be opened")
    with open("/dev/full", "wb") as full:
        got = ask("list", stdout=full)
        expect(got.returncode == 5 and b"could not be written" in got.stderr, "a full disk", got)
    reading, writing = os.pipe()
    os.close(reading)
    got = ask("list", stdout=writing)
    expect(got.returncode == 5, "nobody reads", got)
    os.close(writing)


def test_completion():
    (work / "kernels.spiopack").touch()
    for shell in ["bash", "zsh", "fish"]:
        script = expect_code(0, "completion", shell).stdout.decode()
        expect("run axpby " in script and "channels=" in script, f"{shell} knows the problems")
        if shutil.which(shell) and shell != "bash":
            subprocess.run([shell, "-n"], input=script.encode(), check=True, timeout=60)
    expect_code(2, "completion", "bsh", says="did you mean 'bash'?")
    ask_bash = """source <("$0" completion bash) || exit 1
complete -p spio >&2 || exit 1
compopt() { :; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _spio; printf '%s\\n' "${COMPREPLY[@]}" """
    for words, expected in [
        (["spio", ""], ["doctor", "list", "show", "run", "run-python", "tune", "pack", "cache",
                        "draw", "completion", "version", "--help"]),
        (["spio", "pa"], ["pack"]),
        (["spio", "pack", "v"], ["verify"]),
        (["spio", "run", ""], ["axpby", "layernorm_2d"]),
        (["spio", "run", "layernorm_2d", "ch"], ["channels="]),
        (["spio", "run", "--check", "axpby", "--ch"], ["--check"]),
        (["spio", "pack", "list", "kernels.s"], ["kernels.spiopack"]),
        (["spio", "completion", "b"], ["bash"]),
        (["spio", "run", "conv2d", "pass="], ["pass=fprop", "pass=dgrad", "pass=wgrad"]),
        (["spio", "run", "layernorm_2d", "affine=t"], ["affine=true"]),
        (["spio", "run", "axpby", "--policy", "aot_"], ["aot_only", "aot_then_jit"]),
        (["spio", "pack", "build", "--compiler", ""], ["nvcc", "clang"]),
    ]:
        got = subprocess.run(["bash", "-c", ask_bash, spio, *words], env=plain, cwd=work,
                             capture_output=True, timeout=60)
        offered = got.stdout.decode().split()
        if words == ["spio", "run", ""]:
            offered = [each for each in offered if not each.startswith("--")]
            expect(set(expected) <= set(offered), f"after {words}: {offered}")
        else:
            expect(offered == expected, f"after {words}: {offered}, {got.stderr!r}")


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        for test in [test_help, test_list, test_run, test_missing_compiler, test_packs, test_cache, test_doctor, test_hostile,
                     test_completion, test_python, test_numbers, test_python_pack]:
            if not sys.argv[3:] or test.__name__ in sys.argv[3:]:
                test()
    finally:
        shutil.rmtree(work)
    print(*complaints, sep="\n")
    print(f"summary: command.program: {len(done)} checks, {len(complaints)} complaints")
    return bool(complaints) or not done


if __name__ == "__main__":
    sys.exit(main())
