# Draws the table of how far from the best the choices of models are.
# SPDX-License-Identifier: Apache-2.0
#
# A regret is the time of a choice over that of the best configuration measured for the layer. Layers that
# were held out took no part in the training of the model.


def rows(root, file, results):
    """The rows of a table: the regrets of models, estimates and random choices on layers that were held out."""
    lines = [f"[NVIDIA H200, {results['date']}]({{root}}{file.relative_to(root)}): {results['layers']} layers, {results['times']} times", "",
             "| pass | chosen by | layers | mean | 90 % at most | worst |", "|---|---|---|---|---|---|"]
    for name, passes in {"correlation": "fprop, dgrad", "gradient": "wgrad"}.items():
        cases = {case: value for case, value in results[name].items() if isinstance(value, dict) and "geomean" in value}
        for case, value in (cases | results[name]["ablations"]).items():
            if case not in ("fprop", "dgrad", "wgrad"):
                lines.append(f"| {passes} | {case} | {value['layers']} | {value['geomean']:.3f} | {value['p90']:.2f} | {value['worst']:.2f} |")
    return lines
