#!/usr/bin/env python3
"""Writes published architectures as ONNX models without their weights: export_models.py FOLDER [NAME...]

Runs on Debian's python3 with python3-torch and python3-torchvision; nothing is downloaded, weights are as they are drawn.
"""
import sys
import warnings

import torch
import torchvision

WEIGHTLESS = {"weights": None}
MODELS = {
    "resnet50": lambda m: (m.resnet50(**WEIGHTLESS), (1, 3, 224, 224)),
    "googlenet": lambda m: (m.googlenet(**WEIGHTLESS, aux_logits=False, init_weights=False), (1, 3, 224, 224)),
    "inception_v3": lambda m: (m.inception_v3(**WEIGHTLESS, aux_logits=True, init_weights=False), (1, 3, 299, 299)),
    "mobilenet_v3_large": lambda m: (m.mobilenet_v3_large(**WEIGHTLESS), (1, 3, 224, 224)),
    "efficientnet_b0": lambda m: (m.efficientnet_b0(**WEIGHTLESS), (1, 3, 224, 224)),
    "convnext_tiny": lambda m: (m.convnext_tiny(**WEIGHTLESS), (1, 3, 224, 224)),
    "vit_b_16": lambda m: (m.vit_b_16(**WEIGHTLESS), (1, 3, 224, 224)),
    "swin_t": lambda m: (m.swin_t(**WEIGHTLESS), (1, 3, 224, 224)),
    "transformer": None,
}


def export(name, folder):
    if name == "transformer":
        model, inputs = torch.nn.Transformer(d_model=128, nhead=8, num_encoder_layers=6, num_decoder_layers=6, batch_first=True), (torch.zeros(1, 16, 128), torch.zeros(1, 12, 128))
    else:
        model, shape = MODELS[name](torchvision.models)
        inputs = (torch.zeros(shape),)
    torch.onnx.export(model.eval(), inputs, f"{folder}/{name}.onnx", export_params=False, opset_version=14, do_constant_folding=False)


def main():
    warnings.simplefilter("ignore")
    for name in sys.argv[2:] or MODELS:
        export(name, sys.argv[1])


if __name__ == "__main__":
    main()
