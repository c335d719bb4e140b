# The Python module, where the library is built without sanitizers (which would have to be loaded before Python).
TESTS += $(BUILD)/tests/python_module
$(BUILD)/tests/python_module: tests/python/python.sh tests/python/test_heddle.py $(wildcard python/heddle/*.py examples/*.py examples/*.ipynb) \
  $(BUILD)/lib/libheddle.so.0 $(BUILD)/heddle
	$(script_test)
