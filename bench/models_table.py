# Draws the table of how far from the best the choices of models are.
# SPDX-License-Identifier: Apache-2.0
#
# A regret is the time of a choice over that of the best configuration measured for the layer. Layers that
# were held out took no part in the training of the model. The passes are fprop (forward), dgrad (the gradient
# of the input) and wgrad (that of the filter).

# What the tables call the models of conv2d, by their passes, and that of matmul, by its body.
MODELS = {"correlation": "fprop, dgrad", "gradient": "wgrad", "wgmma": "wgmma"}


def rows(root, file, results):
    """The rows of a table: the regrets of models, estimates and random choices on layers that were held out."""
    kind, problems = ("body", "products") if "wgmma" in results else ("pass", "layers")
    lines = [f"[NVIDIA H200, {results['date']}]({{root}}{file.relative_to(root)}): {results['layers']} {problems}, {results['times']} times", "",
             f"| {kind} | chosen by | {problems} | mean | 90 % at most | worst |", "|---|---|---|---|---|---|"]
    for name, passes in MODELS.items():
        if name not in results:
            continue
        cases = {case: value for case, value in results[name].items() if isinstance(value, dict) and "geomean" in value}
        for case, value in (cases | results[name].get("ablations", {})).items():
            if case not in ("fprop", "dgrad", "wgrad"):
                lines.append(f"| {passes} | {case} | {value['layers']} | {value['geomean']:.3f} | {value['p90']:.2f} | {value['worst']:.2f} |")
    return lines
