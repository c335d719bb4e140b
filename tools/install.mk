# make install PREFIX=/usr/local DESTDIR=, make uninstall, make deb, make docs
#
# PREFIX/bin/heddle finds its CUDA libraries and the workloads in PREFIX/lib/heddle (src/cli/heddle.c: cli_home), wherever
# PREFIX is moved to later. libheddle is an ordinary library of PREFIX/lib.
DESTDIR ?=
INSTALL_ROOT = $(DESTDIR)$(PREFIX)
INSTALL_HOME = $(INSTALL_ROOT)/lib/heddle
INSTALL_DOC = README.md CHANGELOG.md LICENSE examples/embed.c
INSTALL_CUDA = libcuda.so.1 libcudart.so.11.0 libcudart.so.12 libcudart.so.13 $(notdir $(BIND_LIBS)) $(notdir $(JIT_LIBS) $(CUPTI_LIBS) $(BLAS_LIBS))

# A page for heddle and one for each of its commands; heddle.1 is written last.
$(BUILD)/man/heddle.1: man/heddle.1.in tools/make_man.sh $(BUILD)/heddle
	tools/make_man.sh $(abspath $(BUILD)/heddle) $(API_VERSION) $(abspath $(BUILD)/man)

# Where Python looks: /usr/lib/python3/dist-packages for PREFIX=/usr, /usr/local/lib/python3.N/dist-packages otherwise.
PYTHON_VERSION = $(shell python3 -c 'import sys; print("3.%d" % sys.version_info[1])')
INSTALL_PYTHON = $(INSTALL_ROOT)/lib/python$(if $(filter /usr,$(PREFIX)),3,$(PYTHON_VERSION))/dist-packages/heddle
PYTHON_FILES = $(notdir $(wildcard python/heddle/*.py python/heddle/py.typed))

.PHONY: install uninstall
install: programs $(BUILD)/man/heddle.1
	install -d $(INSTALL_ROOT)/bin $(INSTALL_HOME)/lib $(INSTALL_ROOT)/include/heddle $(INSTALL_ROOT)/lib/pkgconfig \
	  $(INSTALL_ROOT)/share/man/man1 $(INSTALL_ROOT)/share/bash-completion/completions \
	  $(INSTALL_ROOT)/share/zsh/site-functions $(INSTALL_ROOT)/share/doc/heddle
	install $(BUILD)/heddle $(INSTALL_ROOT)/bin/heddle
	install -d $(INSTALL_PYTHON)
	install -m 644 $(addprefix python/heddle/,$(PYTHON_FILES)) $(INSTALL_PYTHON)
	install $(BUILD)/heddle-workloads $(INSTALL_HOME)/heddle-workloads
	install -m 644 $(addprefix $(BUILD)/lib/,$(INSTALL_CUDA)) $(INSTALL_HOME)/lib
	ln -sf libcuda.so.1 $(INSTALL_HOME)/lib/libcuda.so
	install -m 644 results/claims.tsv $(INSTALL_HOME)/claims.tsv
	install -m 644 $(BUILD)/lib/libheddle.so.0 $(INSTALL_ROOT)/lib/libheddle.so.0
	ln -sf libheddle.so.0 $(INSTALL_ROOT)/lib/libheddle.so
	install -m 644 include/heddle/heddle.h $(INSTALL_ROOT)/include/heddle/heddle.h
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(API_VERSION)|' tools/heddle.pc.in \
	  > $(INSTALL_ROOT)/lib/pkgconfig/heddle.pc
	install -m 644 $(BUILD)/man/heddle*.1 $(INSTALL_ROOT)/share/man/man1
	install -m 644 completion/heddle.bash $(INSTALL_ROOT)/share/bash-completion/completions/heddle
	install -m 644 completion/_heddle $(INSTALL_ROOT)/share/zsh/site-functions/_heddle
	install -m 644 $(INSTALL_DOC) $(INSTALL_ROOT)/share/doc/heddle

uninstall:
	rm -f $(INSTALL_ROOT)/bin/heddle $(addprefix $(INSTALL_HOME)/lib/,$(INSTALL_CUDA) libcuda.so) \
	  $(INSTALL_HOME)/heddle-workloads $(INSTALL_HOME)/claims.tsv $(INSTALL_ROOT)/lib/libheddle.so $(INSTALL_ROOT)/lib/libheddle.so.0 \
	  $(INSTALL_ROOT)/include/heddle/heddle.h $(INSTALL_ROOT)/lib/pkgconfig/heddle.pc \
	  $(INSTALL_ROOT)/share/man/man1/heddle.1 $(INSTALL_ROOT)/share/man/man1/heddle-*.1 $(INSTALL_ROOT)/share/bash-completion/completions/heddle \
	  $(INSTALL_ROOT)/share/zsh/site-functions/_heddle $(addprefix $(INSTALL_ROOT)/share/doc/heddle/,$(notdir $(INSTALL_DOC)))
	rm -rf $(INSTALL_PYTHON)/__pycache__
	rm -f $(addprefix $(INSTALL_PYTHON)/,$(PYTHON_FILES))
	-rmdir $(INSTALL_PYTHON) $(INSTALL_HOME)/lib $(INSTALL_HOME) $(INSTALL_ROOT)/include/heddle $(INSTALL_ROOT)/share/doc/heddle

# The package is named as Debian names packages; DEB=FILE writes it elsewhere.
DEB ?= $(BUILD)/heddle_$(API_VERSION)_$(shell dpkg --print-architecture 2>/dev/null).deb
.PHONY: deb
deb: programs $(BUILD)/man/heddle.1
	tools/make_deb.sh $(BUILD) $(API_VERSION) $(DEB)

.PHONY: docs
docs:
	@tools/docs_site.sh $(BUILD)/site
