"""Files of public benchmarks, read as their authors publish them."""
