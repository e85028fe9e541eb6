# Debian packages only; scripts/setup installs them.

set(Boost_NO_BOOST_CMAKE OFF)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(SQLite3 REQUIRED)
find_package(simdjson REQUIRED)
find_package(Threads REQUIRED)
find_package(GTest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(md4c REQUIRED IMPORTED_TARGET md4c)
add_library(re2::re2 ALIAS PkgConfig::re2)
# The archive, so that the program can be linked without the shared library.
find_library(HF_STEMMER NAMES libstemmer.a stemmer REQUIRED)
find_library(HF_RAPIDCHECK rapidcheck REQUIRED)  # its headers lie where the compiler looks anyway
# Only the header: the library is loaded when a PostgreSQL store is opened (src/store/postgres/libpq.h).
find_path(HF_LIBPQ_INCLUDE libpq-fe.h PATH_SUFFIXES postgresql REQUIRED)
