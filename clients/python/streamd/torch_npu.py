"""Takes the place of torch_npu: what it adds to torch is in streamd.torch already."""
