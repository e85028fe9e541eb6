#include "web/assets/assets.h"

#include "base/crypto/hash.h"
#include "reading/html/html_turns.h"

#include <fmt/format.h>

#include <array>

// The assembler puts a file's bytes into the program as they are; #embed does not exist in this compiler.
// clang-format off
#define HF_EMBED(name, file)                                \
  asm(".section .rodata\n"                                  \
      "hf_" #name "_begin:\n"                               \
      ".incbin \"" HOLDFAST_ASSETS "/" file "\"\n"          \
      "hf_" #name "_end:\n"                                 \
      ".byte 0\n"                                           \
      ".previous\n");                                       \
  extern "C" {                                              \
  extern const char hf_##name##_begin[];                    \
  extern const char hf_##name##_end[];                      \
  }
// clang-format on

HF_EMBED(style, "style.css")
HF_EMBED(script, "app.js")
HF_EMBED(reader, "reader.js")
HF_EMBED(icon, "icon.svg")
#undef HF_EMBED

namespace holdfast::web {

namespace {

constexpr std::size_t kHashChars = 12;

struct Asset {
  std::string_view name;
  std::string_view type;
  std::string_view bytes;
  std::string path;
};

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

// "app.js" -> "/assets/app-0123456789ab.js"
std::string hashed_path(std::string_view name, std::string_view bytes) {
  const std::size_t dot = name.rfind('.');
  return fmt::format("/assets/{}-{}{}", name.substr(0, dot), to_hex(sha256(bytes)).substr(0, kHashChars), name.substr(dot));
}

Asset make_asset(std::string_view name, std::string_view type, std::string_view bytes) {
  return {name, type, bytes, hashed_path(name, bytes)};
}

const auto& assets() {
  static const std::array all = {
      make_asset("style.css", "text/css; charset=utf-8", between(hf_style_begin, hf_style_end)),
      make_asset("app.js", "text/javascript; charset=utf-8", between(hf_script_begin, hf_script_end)),
      make_asset("reader.js", "text/javascript; charset=utf-8", between(hf_reader_begin, hf_reader_end)),
      make_asset("turns.css", "text/css; charset=utf-8", reading::turn_style().text()),
      make_asset("icon.svg", "image/svg+xml", between(hf_icon_begin, hf_icon_end)),
  };
  return all;
}

}  // namespace

const std::string& asset_path(std::string_view name) {
  static const std::string none;
  for (const Asset& asset : assets())
    if (asset.name == name) return asset.path;
  return none;
}

std::optional<net::HttpResponse> asset_at(std::string_view path) {
  for (const Asset& asset : assets())
    if (asset.path == path)
      return net::HttpResponse{200,
                               {{"Content-Type", std::string(asset.type)},
                                {"Cache-Control", "public, max-age=31536000, immutable"},
                                {"Content-Security-Policy", "default-src 'none'"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"X-Content-Type-Options", "nosniff"}},
                               std::string(asset.bytes)};
  return std::nullopt;
}

}  // namespace holdfast::web
