#include "net/client/curl_library.h"

#include <dlfcn.h>

#include <string>

namespace holdfast::net {
namespace {

constexpr const char* kFile = "libcurl.so.4";
constexpr const char* kHint = "install it (Debian: libcurl4), version 7.85 or newer";

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<CurlLibrary> open_library() {
  void* library = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (!library) return fail(ErrorKind::unavailable, std::string("cannot load libcurl: ") + ::dlerror(), kHint);
  decltype(&curl_global_init) global_init = nullptr;
  CurlLibrary curl;
  const bool complete =
      find(library, "curl_global_init", global_init) && find(library, "curl_easy_init", curl.easy_init) &&
      find(library, "curl_easy_setopt", curl.easy_setopt) && find(library, "curl_easy_getinfo", curl.easy_getinfo) &&
      find(library, "curl_easy_reset", curl.easy_reset) && find(library, "curl_easy_strerror", curl.easy_strerror) &&
      find(library, "curl_easy_cleanup", curl.easy_cleanup) && find(library, "curl_multi_init", curl.multi_init) &&
      find(library, "curl_multi_add_handle", curl.multi_add_handle) &&
      find(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
      find(library, "curl_multi_perform", curl.multi_perform) && find(library, "curl_multi_poll", curl.multi_poll) &&
      find(library, "curl_multi_info_read", curl.multi_info_read) && find(library, "curl_multi_setopt", curl.multi_setopt) &&
      find(library, "curl_multi_socket_action", curl.multi_socket_action) &&
      find(library, "curl_multi_cleanup", curl.multi_cleanup) && find(library, "curl_slist_append", curl.slist_append) &&
      find(library, "curl_slist_free_all", curl.slist_free_all);
  if (!complete) return fail(ErrorKind::unavailable, std::string(kFile) + " lacks functions that we need", kHint);
  if (const CURLcode code = global_init(CURL_GLOBAL_DEFAULT); code != CURLE_OK)
    return fail(ErrorKind::unavailable, std::string("libcurl cannot start: ") + curl.easy_strerror(code));
  return curl;
}

}  // namespace

Result<const CurlLibrary*> CurlLibrary::load() {
  static const Result<CurlLibrary> library = open_library();
  if (!library) return fail(library.error());
  return &*library;
}

}  // namespace holdfast::net
