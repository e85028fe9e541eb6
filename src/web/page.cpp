#include "web/page.h"

#include "base/hash.h"
#include "web/assets.h"

#include <fmt/format.h>

namespace holdfast::web {

namespace {

constexpr std::size_t kHashChars = 12;

constexpr std::string_view kContentPolicy =
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

}  // namespace

const std::string& style_path() {
  static const std::string path = fmt::format("/style-{}.css", to_hex(sha256(style_sheet())).substr(0, kHashChars));
  return path;
}

net::HttpResponse style_response() {
  return {200,
          {{"Content-Type", "text/css; charset=utf-8"},
           {"Cache-Control", "public, max-age=31536000, immutable"},
           {"X-Content-Type-Options", "nosniff"}},
          std::string(style_sheet())};
}

std::string make_page(std::string_view title, std::string_view version, const std::function<void(Html&)>& body) {
  Html page;
  page.raw("<!doctype html>\n").open("html", {{"lang", "en"}}).open("head");
  page.lone("meta", {{"charset", "utf-8"}});
  page.lone("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  page.element("title", fmt::format("{} · holdfast", title));
  page.lone("link", {{"rel", "stylesheet"}, {"href", style_path()}});
  page.lone("link", {{"rel", "icon"}, {"href", "data:,"}});  // or the browser asks for /favicon.ico
  page.close().open("body");
  page.element("a", "Skip to content", {{"class", "skip"}, {"href", "#content"}});
  page.open("header").element("h1", "holdfast").element("span", fmt::format("version {}", version), {{"class", "soft"}}).close();
  page.open("main", {{"id", "content"}});
  body(page);
  return std::move(page).finish();
}

net::HttpResponse page_response(int status, std::string html) {
  return {status,
          {{"Content-Type", "text/html; charset=utf-8"},
           {"Content-Security-Policy", std::string(kContentPolicy)},
           {"X-Content-Type-Options", "nosniff"},
           {"X-Frame-Options", "DENY"},
           {"Referrer-Policy", "no-referrer"},
           {"Cross-Origin-Opener-Policy", "same-origin"},
           {"Cross-Origin-Resource-Policy", "same-origin"},
           {"Cache-Control", "no-store"}},
          std::move(html)};
}

}  // namespace holdfast::web
