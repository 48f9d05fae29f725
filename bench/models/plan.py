# Draws the layers that a sweep measures, in groups that share their kernels.
# SPDX-License-Identifier: Apache-2.0
#
# The passes are fprop (forward), dgrad (the gradient of the input) and wgrad (that of the filter).
"""plan.py [--seed N] [--groups N] [--most N] [--passes fprop,dgrad,wgrad] [--strides 1,2] [--small-side N] [--one-correlation] [--scaled] [--networks | --new-channels | --beside LAYER...] [--near N] [--without LAYERS] > PLAN

Half of the groups have channels and filters of networks: EfficientNet, ConvNeXt, RegNet, ResNeXt and MobileNet with groups of
8 channels; the others are drawn. With --scaled the networks are also wider, narrower and of other images, as families of networks
are. The kernels of a group take any image, or any batch of one small image, whose sides --small-side bounds; its layers have the
images and batches of networks, and log-uniform draws. Some groups have one layer, for which all sizes are known: the layers
whose best configuration was searched by hand, and layers of other groups, to compare the two kinds of kernels. With
--networks there is a group for each of the networks' channels and filters instead, in the order of a draw, and its batches are
theirs. With --new-channels all channels are drawn, so that input and output have about as many values as those of networks; every
fourth gradient of a filter has few channels and a large image. With --near the layers are like those whose best configuration was searched by hand, and none of them: N of each for
which all sizes are known, and GROUPS groups of each whose kernels take any image, or any batch of one. LAYERS, as conv2d/drawn.py writes them, are
left out. With --beside the groups are like layers that are told as "PASS N CHANNELS SIDE TAPS [STRIDE]", GROUPS of each, with other channels, images and batches.
"""
import argparse
import math
import random
import sys

# Channels, and the sides of images, of layers with 3x3, 5x5 and 7x7 filters, and 3x3 filters of stride 2.
EFFICIENTNET = {(3, 1): [(32, 112), (96, 56), (144, 56), (240, 14), (480, 14), (1152, 7)], (3, 2): [(96, 112), (240, 28)],
                (5, 1): [(240, 28), (480, 14), (672, 14), (1152, 7)], (5, 2): [(144, 56), (672, 14)]}
CONVNEXT = {(7, 1): [(96, 56), (192, 28), (384, 14), (768, 7), (128, 56)],
            (5, 1): [(96, 56), (192, 28), (384, 14), (768, 7)]}
REGNET = {(3, 1): [(24, 56), (56, 28), (152, 14), (368, 7), (72, 56), (216, 28), (576, 14)], (3, 2): [(64, 56), (160, 28)]}
RESNEXT = {(3, 1): [(128, 56), (256, 28), (512, 14), (1024, 7)], (3, 2): [(256, 56), (512, 28)]}
MOBILENET = {(3, 1): [(16, 112), (64, 56), (72, 28), (192, 28), (384, 14), (960, 7)], (3, 2): [(64, 112), (192, 28)],
             (5, 1): [(72, 28), (120, 28), (672, 14), (960, 7)]}
NETWORKS = [EFFICIENTNET, CONVNEXT, REGNET, RESNEXT, MOBILENET]
BATCHES = [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512]
SIDES = [7, 8, 10, 12, 14, 16, 19, 20, 24, 28, 32, 38, 40, 48, 56, 64, 75, 80, 96, 112, 128, 160, 224]
SMALL_SIDE = 16         # images up to this side get kernels of their own, without --small-side
MOST_BYTES = 600 << 20  # of the tensors of a layer
LEAST_BYTES = 1 << 16
# Layers whose best configuration was searched by hand.
SEARCHED = ["fprop 256 24 56", "fprop 8 256 28", "fprop 64 56 28", "wgrad 64 56 28", "fprop 96 512 20", "wgrad 512 32 32"]
CLOSE = SEARCHED + ["wgrad 32 56 28"]  # layers whose neighbours --near draws
# Widths and images of a family of networks over those of its smallest.
WIDTHS = [0.5, 0.75, 1, 1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.5]
RESOLUTIONS = [0.75, 1, 1, 240 / 224, 256 / 224, 288 / 224, 320 / 224, 380 / 224, 456 / 224]


def log_uniform(draw, least, most):
    """A whole number whose logarithm is uniform; `draw` is a random.Random."""
    return round(math.exp(draw.uniform(math.log(least), math.log(most))))


def moved(n, c, h, w, stride):
    """The bytes of a layer's input and output in 16 bits."""
    return 2 * n * c * h * w * (1 + 1 / stride**2)


def words(channels, taps, stride, direction, made_for, more=""):
    """The problem of a kernel as the library parses it, without the sizes of images."""
    text = f"c={channels} r={taps[0]} s={taps[1]} pad_h={taps[0] // 2} pad_w={taps[1] // 2} pass={direction} made_for={made_for}"
    return text + (f" stride_h={stride} stride_w={stride}" if stride > 1 else "") + more


def layers_of(draw, channels, taps, stride, side, count, most_bytes=MOST_BYTES, small_side=SMALL_SIDE, least_bytes=LEAST_BYTES):
    """Sizes n, h, w of a group's layers; all images have the side if it is small."""
    layers = []
    for _ in range(20 * count):
        if side <= small_side:
            h = w = side
        elif draw.random() < 0.75:
            h = w = draw.choice([s for s in SIDES if s > small_side] + [side] * 4)
        else:
            h, w = log_uniform(draw, 5, 200), log_uniform(draw, 5, 300)
        n = draw.choice(BATCHES) if draw.random() < 0.8 else log_uniform(draw, 1, 512)
        is_sized = least_bytes <= moved(n, channels, h, w, stride) <= most_bytes
        if is_sized and min(h, w) + 2 * (taps[0] // 2) >= max(taps) and (n, h, w) not in layers:
            layers.append((n, h, w))
        if len(layers) == count:
            break
    return layers


def draw_group(draw, direction, is_scaled=False):
    """The fields of a group: channels, taps, stride, the side of its image, and more words."""
    if draw.random() < 0.6:
        taps, stride = draw.choice([(3, 1)] * 6 + [(5, 1)] * 3 + [(7, 1), (3, 2), (5, 2)])
        choices = [layer for network in NETWORKS for layer in network.get((taps, stride), [])]
        channels, side = draw.choice(choices)
        if is_scaled:
            channels = 8 * max(1, round(channels * draw.choice(WIDTHS) / 8))
            side = max(taps, round(side * draw.choice(RESOLUTIONS)))
        taps = (taps, taps)
    else:
        taps = draw.choice([(3, 3)] * 5 + [(5, 5)] * 2 + [(7, 7), (1, 1), (1, 1), (3, 1), (1, 7), (4, 4), (6, 6)])
        stride = 2 if taps == (3, 3) and draw.random() < 0.2 else 1
        channels = 8 * log_uniform(draw, 1, 160)
        side = draw.choice([s for s in SIDES if s >= max(taps)])
    more = ""
    if direction != "dgrad" and draw.random() < 0.15:
        more += " bias=true"
    if draw.random() < 0.06:
        more += " type=bf16"
    if stride == 1 and taps == (3, 3) and draw.random() < 0.06:
        more += " dilation_h=2 dilation_w=2"
    return channels, taps, stride, side, more


def draw_new_group(draw, direction):
    """The fields of a group as draw_group() makes them, with channels and an image that no network need have."""
    taps, stride = draw.choice([(3, 1)] * 5 + [(3, 2)] * 3 + [(5, 1)] * 3 + [(7, 1)] * 3 + [(5, 2), (1, 1)])
    if direction == "wgrad" and draw.random() < 0.25:
        return 8 * draw.randint(1, 7), (3, 3), draw.choice([1, 1, 2]), draw.choice([56, 64, 80, 96, 112, 128, 160, 224]), ""
    side = draw.choice([7, 7, 8, 10, 12, 14, 14, 16, 20, 24, 28, 28, 32, 40, 48, 56, 64, 80, 112])
    channels = 8 * log_uniform(draw, max(1, 1000 / side / 8), 16000 / side / 8)
    return channels, (taps, taps), stride, side, " bias=true" if direction == "fprop" and draw.random() < 0.1 else ""


def groups_of_networks(draw, options):
    """The groups of all networks as draw_group() makes them, each once and in the order of a draw."""
    kinds = {(channels, (taps, taps), stride, side, "")
             for network in NETWORKS for (taps, stride), layers in network.items() for channels, side in layers
             if str(stride) in options.strides.split(",") and channels <= options.most_channels}
    groups = sorted(kinds)
    draw.shuffle(groups)
    return groups


def layer_near(draw, searched):
    """The channels, batch and sides of a layer that is like a searched one, with tensors of a quarter to four times its bytes."""
    _, n, channels, side = searched.split()
    while True:
        c = int(channels) if draw.random() < 0.4 else 8 * log_uniform(draw, int(channels) / 13, int(channels) / 5)
        h = w = draw.choice([int(side)] * 6 + SIDES)
        if draw.random() < 0.3:
            h, w = (log_uniform(draw, int(side) / 1.5, 1.5 * int(side)) for _ in range(2))
        batch = draw.choice(BATCHES) if draw.random() < 0.5 else log_uniform(draw, 1, 512)
        ratio = moved(batch, c, h, w, 1) / moved(int(n), int(channels), int(side), int(side), 1)
        if 0.25 <= ratio <= 4 and 0.5 <= h / int(side) <= 2 and f"{batch} {c} {h} {w}" != f"{n} {channels} {side} {side}":
            return c, batch, h, w


def batches_near(draw, searched, channels, h, w, count):
    """Batches of an image for which a layer has a quarter to four times the bytes of a searched one."""
    _, n, c, side = searched.split()
    most = 4 * moved(int(n), int(c), int(side), int(side), 1) / moved(1, channels, h, w, 1)
    batches = [batch for batch in BATCHES if most / 16 <= batch <= most]
    batches += [log_uniform(draw, max(1, most / 16), max(1, most)) for _ in range(count)]
    is_other = (channels, h, w) != (int(c), int(side), int(side))
    return [batch for batch in dict.fromkeys(batches) if is_other or batch != int(n)][:count]


def groups_near(draw, options):
    """Groups near the searched layers: the words of their problem, their configurations, and their layers."""
    for searched in CLOSE:
        direction = searched.split()[0]
        most = 2 * options.most // 3 if direction == "wgrad" else options.most
        other = direction if direction == "wgrad" else "dgrad"
        for _ in range(options.groups):
            near = [layer_near(draw, searched) for _ in range(options.layers)]
            channels, _, h, w = near[0]
            made_for = "any_n" if max(h, w) <= options.small_side else "any_image"
            if made_for == "any_n":
                near = [(channels, batch, h, w) for batch in batches_near(draw, searched, channels, h, w, options.layers)]
            layers = list(dict.fromkeys(layer[1:] for layer in near))
            yield words(channels, (3, 3), 1, draw.choice([direction, direction, other]), made_for), most, layers
        for _ in range(options.near):
            channels, *layer = layer_near(draw, searched)
            yield words(channels, (3, 3), 1, draw.choice([direction] * 3 + [other]), "all"), most, [tuple(layer)]


def groups_beside(draw, options):
    """The pass of each group beside a layer, its fields as draw_group() makes them, and its batches: a third to three times as many
    images."""
    for layer in options.beside:
        direction, n, channels, side, taps, *stride = layer.split()
        n, channels, side, taps = map(int, (n, channels, side, taps))
        for _ in range(options.groups):
            other = 8 * log_uniform(draw, channels / 11, channels / 6)
            image = draw.choice([side, side, log_uniform(draw, max(taps, 0.8 * side), 1.25 * side)])
            batches = list(dict.fromkeys(log_uniform(draw, max(1, n / 3), 3 * n) for _ in range(options.layers)))
            yield direction, (other, (taps, taps), int(stride[0]) if stride else 1, image, ""), batches


def is_left_out(words, layer, omitted):
    """Whether a layer is one of those that are omitted, each a set of words."""
    n, h, w = layer
    fields = {word for word in words.split() if not word.startswith(("pass=", "made_for="))}
    return fields | {f"n={n}", f"h={h}", f"w={w}"} in omitted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--groups", type=int, default=40, help="of each pass")
    parser.add_argument("--most", type=int, default=28, help="configurations of a group")
    parser.add_argument("--layers", type=int, default=44, help="of a group whose kernels take any image")
    parser.add_argument("--exact", type=int, default=10, help="layers of each pass whose kernels know all sizes")
    parser.add_argument("--passes", default="fprop,dgrad,wgrad")
    parser.add_argument("--networks", action="store_true")
    parser.add_argument("--scaled", action="store_true", help="draw also wider networks, and those of other images")
    parser.add_argument("--new-channels", action="store_true", help="draw all channels and images")
    parser.add_argument("--one-correlation", action="store_true", help="of stride 1, every second group has fprop, the others dgrad")
    parser.add_argument("--small-side", type=int, default=SMALL_SIDE, help="images up to this side get kernels of their own")
    parser.add_argument("--beside", nargs="+", default=[], metavar="LAYER", help="draw groups like each of these layers")
    parser.add_argument("--near", type=int, default=0, help="layers near each of those that were searched by hand")
    parser.add_argument("--strides", default="1,2", help="of the networks' groups")
    parser.add_argument("--most-channels", type=int, default=1 << 20, help="of the networks' groups")
    parser.add_argument("--most-bytes", type=float, default=MOST_BYTES, help="of a layer's input and output")
    parser.add_argument("--least-bytes", type=float, default=LEAST_BYTES)
    parser.add_argument("--without", type=argparse.FileType(), help="layers to leave out")
    options = parser.parse_args()
    passes = options.passes.split(",")
    draw = random.Random(options.seed)
    print("# plan.py", *sys.argv[1:])
    omitted = [set(line.split()) for line in options.without or [] if not line.startswith("#")]
    near = list(groups_near(draw, options)) if options.near else []
    draw.shuffle(near)
    for kind, most, layers in near:
        layers = [layer for layer in layers if not is_left_out(kind, layer, omitted)]
        if layers:
            print(f"group {kind} most={most}")
            for layer in layers:
                print(*layer)
    for direction, (channels, taps, stride, side, _), batches in groups_beside(draw, options):
        own = words(channels, taps, stride, direction, "any_n")
        layers = [(n, side, side) for n in batches if moved(n, channels, side, side, stride) <= options.most_bytes]
        layers = [layer for layer in layers if not is_left_out(own, layer, omitted)]
        if layers:
            print(f"group {own} most={2 * options.most // 3 if direction == 'wgrad' else options.most}", *(f"{n} {h} {w}" for n, h, w in layers), sep="\n")
    if near or options.beside:
        return
    networks = groups_of_networks(draw, options) if options.networks else []
    for layer in SEARCHED if options.exact and not options.networks else []:
        direction, n, channels, side = layer.split()
        if direction not in passes:
            continue
        print(f"group {words(int(channels), (3, 3), 1, direction, 'all')} most={2 * options.most}\n{n} {side} {side}")
    for number in range(options.groups):
        for direction in ("fprop", "dgrad", "wgrad"):
            if options.networks and number >= len(networks):
                continue
            if options.networks:
                channels, taps, stride, side, more = networks[number]
            elif options.new_channels:
                channels, taps, stride, side, more = draw_new_group(draw, direction)
            else:
                channels, taps, stride, side, more = draw_group(draw, direction, options.scaled)
            if options.one_correlation and stride == 1 and direction == ("fprop", "dgrad")[number % 2]:
                continue
            is_small = side <= options.small_side
            layers = layers_of(draw, channels, taps, stride, side, min(18, options.layers) if is_small else options.layers,
                               options.most_bytes, options.small_side, options.least_bytes)
            own = words(channels, taps, stride, direction, "", more)
            layers = [layer for layer in layers if not is_left_out(own, layer, omitted)]
            if not layers or direction not in passes:
                continue
            # A gradient takes two kernels.
            most = 2 * options.most // 3 if direction == "wgrad" else options.most
            made_for = "any_n" if is_small else "any_image"
            print(f"group {words(channels, taps, stride, direction, made_for, more)} most={most}")
            for layer in layers:
                print(*layer)
            if number < options.exact:
                print(f"group {words(channels, taps, stride, direction, 'all', more)} most={most // 2}")
                print(*draw.choice(layers))


if __name__ == "__main__":
    main()
