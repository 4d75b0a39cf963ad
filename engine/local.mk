# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
noinst_LIBRARIES += libengine.a
libengine_a_SOURCES =
libengine_a_CFLAGS = $(LIBDTR_CFLAGS)
libengine_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'

# libdtr: the engine and everything below it. Other programs see only what engine/dtr.h declares: in the shared library
# by the version script, in the static one because its only object has no other global names.
# An incompatible change of dtr.h increments LIBDTR_SO.
LIBDTR_SO = libdtr.so.0
LIBDTR_FILE = $(LIBDTR_SO).$(PACKAGE_VERSION)
LIBDTR_NEEDS = $(LIBBPF_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) $(LIBS) -lpthread -ldl
LIBDTR_WHOLE = -Wl,--whole-archive $(DTR_LIBS) -Wl,--no-whole-archive

$(LIBDTR_FILE): $(DTR_LIBS) $(srcdir)/engine/libdtr.map
	$(AM_V_CCLD)$(CC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(LIBDTR_SO) \
		-Wl,--version-script,$(srcdir)/engine/libdtr.map -o $@ $(LIBDTR_WHOLE) $(LIBDTR_NEEDS)
libdtr.$(OBJEXT): $(DTR_LIBS)
	$(AM_V_CCLD)$(CC) -r -nostdlib -o $@ $(LIBDTR_WHOLE)
	$(AM_V_at)$(OBJCOPY) --localize-hidden $@
libdtr.a: libdtr.$(OBJEXT)
	$(AM_V_AR)rm -f $@ && $(AR) $(ARFLAGS) $@ libdtr.$(OBJEXT) && $(RANLIB) $@

include_HEADERS += engine/dtr.h
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = engine/libdtr.pc
EXTRA_DIST += engine/libdtr.map
CLEANFILES += $(LIBDTR_FILE) libdtr.$(OBJEXT) libdtr.a

all-local: $(LIBDTR_FILE) libdtr.a
install-exec-local: $(LIBDTR_FILE) libdtr.a
	$(MKDIR_P) '$(DESTDIR)$(libdir)'
	$(INSTALL_DATA) $(LIBDTR_FILE) libdtr.a '$(DESTDIR)$(libdir)'
	ln -sf $(LIBDTR_FILE) '$(DESTDIR)$(libdir)/$(LIBDTR_SO)'
	ln -sf $(LIBDTR_SO) '$(DESTDIR)$(libdir)/libdtr.so'
uninstall-local:
	cd '$(DESTDIR)$(libdir)' && rm -f $(LIBDTR_FILE) $(LIBDTR_SO) libdtr.so libdtr.a
