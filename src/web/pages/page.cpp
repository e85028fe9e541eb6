#include "web/pages/page.h"

#include "base/run/log.h"
#include "web/assets/assets.h"
#include "web/gateway/http_status.h"
#include "web/gateway/logins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::web {

namespace {

constexpr std::string_view kContentPolicy =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'";

struct Place {
  Section section;
  std::string_view path;
  std::string_view name;
};
constexpr std::array kPlaces = {
    Place{Section::timeline, "/", "Timeline"},      Place{Section::search, "/search", "Search"},
    Place{Section::review, "/review", "Review"},    Place{Section::research, "/research", "Research"},
    Place{Section::notices, "/notices", "Notices"}, Place{Section::storage, "/storage", "Storage"},
};

void write_head(Html& page, const Frame& frame) {
  page.open("head").lone("meta", {{"charset", "utf-8"}});
  page.lone("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  page.element("title", fmt::format("{} · holdfast", frame.title));
  page.lone("link", {{"rel", "stylesheet"}, {"href", asset_path("style.css")}});
  for (std::string_view style : frame.styles) page.lone("link", {{"rel", "stylesheet"}, {"href", asset_path(style)}});
  page.lone("link", {{"rel", "icon"}, {"href", asset_path("icon.svg")}, {"type", "image/svg+xml"}});
  page.element("script", {}, {{"src", asset_path("app.js")}, {"defer", ""}});
  for (std::string_view script : frame.scripts) page.element("script", {}, {{"src", asset_path(script)}, {"defer", ""}});
  page.close();
}

void write_navigation(Html& page, const Frame& frame) {
  page.open("nav", {{"aria-label", "Main"}}).open("ul");
  for (const Place& place : kPlaces) {
    page.open("li");
    page.element("a", place.name,
                 {{"href", place.path}, {"aria-current", place.section == frame.section ? "page" : Html::kLeftOut}});
    page.close();
  }
  page.close().close();
}

void write_search_box(Html& page, const Frame& frame) {
  page.open("form", {{"action", "/search"}, {"method", "get"}, {"role", "search"}, {"class", "find"}});
  page.lone("input", {{"type", "search"},
                      {"name", "q"},
                      {"value", frame.search_text.empty() ? Html::kLeftOut : std::string_view(frame.search_text)},
                      {"placeholder", "Search everything"},
                      {"aria-label", "Search all sessions"},
                      {"aria-keyshortcuts", "/"},
                      {"autocomplete", "off"},
                      {"data-find", ""}});
  page.element("button", "Search", {{"type", "submit"}}).close();
}

// A form and not a script: the choice is a cookie, so the next page is drawn right from its first pixel.
void write_theme_switch(Html& page, const PageRequest& request) {
  open_form(page, request, "/theme", "theme");
  const std::string back = request.query.empty() ? request.path : request.path + "?" + request.query.encode();
  page.lone("input", {{"type", "hidden"}, {"name", "back"}, {"value", back}});
  page.open("fieldset").element("legend", "Colours");
  for (const auto& [value, name] : {std::pair{"auto", "System"}, std::pair{"light", "Light"}, std::pair{"dark", "Dark"}}) {
    const bool chosen = request.theme == value || (request.theme.empty() && std::string_view(value) == "auto");
    page.element("button", name, {{"name", "theme"}, {"value", value}, {"aria-pressed", chosen ? "true" : "false"}});
  }
  page.close().close();
}

void write_footer(Html& page, const PageRequest& request) {
  page.open("footer").element("span", fmt::format("holdfast version {}", request.version));
  write_theme_switch(page, request);
  if (request.is_login) {
    open_form(page, request, "/logout");
    page.element("button", fmt::format("Log out {}", request.principal)).close();
  }
  page.open("button", {{"type", "button"}, {"class", "quiet"}, {"data-help", ""}, {"hidden", ""}}).text("Keys ");
  page.element("kbd", "?").close();
  page.element("p", {}, {{"id", "live-state"}, {"class", "hidden-text"}, {"role", "status"}, {"aria-live", "polite"}});
  page.close();
}

std::string whole_page(const PageRequest& request, const Frame& frame, bool bare, const std::function<void(Html&)>& body) {
  Html page;
  page.raw("<!doctype html>\n");
  page.open("html", {{"lang", "en"}, {"data-theme", request.theme.empty() ? Html::kLeftOut : std::string_view(request.theme)}});
  write_head(page, frame);
  page.open("body");
  page.element("a", "Skip to content", {{"class", "skip"}, {"href", "#content"}});
  page.open("header", {{"class", "top"}}).open("a", {{"class", "brand"}, {"href", "/"}});
  page.lone("img", {{"src", asset_path("icon.svg")}, {"alt", ""}, {"width", "24"}, {"height", "24"}}).text("holdfast").close();
  if (!bare) {
    write_navigation(page, frame);
    if (frame.section != Section::search) write_search_box(page, frame);  // that page has one of its own
  }
  page.close().open("main", {{"id", "content"}, {"tabindex", "-1"}});
  body(page);
  page.close();
  if (!bare) write_footer(page, request);
  return std::move(page).finish();
}

}  // namespace

net::HttpResponse page_response(int status, std::string html) {
  return {status,
          {{"Content-Type", "text/html; charset=utf-8"},
           {"Content-Security-Policy", std::string(kContentPolicy)},
           {"X-Content-Type-Options", "nosniff"},
           {"X-Frame-Options", "DENY"},
           // Nothing to others; with `no-referrer` browsers would send the Origin of our own forms as "null".
           {"Referrer-Policy", "same-origin"},
           {"Cross-Origin-Opener-Policy", "same-origin"},
           {"Cross-Origin-Resource-Policy", "same-origin"},
           {"Cache-Control", "no-store"}},
          std::move(html)};
}

net::HttpResponse show_page(const PageRequest& request, const Frame& frame, const std::function<void(Html&)>& body, int status) {
  return page_response(status, whole_page(request, frame, false, body));
}

net::HttpResponse show_bare_page(const PageRequest& request, std::string title, const std::function<void(Html&)>& body,
                                 int status) {
  return page_response(status, whole_page(request, {std::move(title)}, true, body));
}

net::HttpResponse show_fragment(Html part) {
  return page_response(200, std::move(part).finish());
}

net::HttpResponse see_other(std::string path) {
  net::HttpResponse response = page_response(303, {});
  response.headers.emplace_back("Location", std::move(path));
  return response;
}

bool is_own_path(std::string_view path) {
  return path.starts_with('/') && !path.starts_with("//") &&
         std::ranges::none_of(path, [](unsigned char c) { return c <= ' ' || c == '\\' || c >= 0x7f; });
}

void open_form(Html& page, const PageRequest& request, std::string_view action, std::string_view css_class) {
  page.open("form", {{"method", "post"}, {"action", action}, {"class", css_class}});
  page.lone("input", {{"type", "hidden"}, {"name", kFormTokenField}, {"value", request.form_token}});
}

net::HttpResponse error_page(const PageRequest& request, const Error& error) {
  const int status = status_of(error.kind);
  if (status >= 500) log(LogLevel::warn, "web", error.message);
  return show_page(
      request, {"Error"},
      [&](Html& page) {
        page.element("h1", "This did not work").element("p", error.message, {{"class", "notice"}, {"role", "alert"}});
        if (!error.hint.empty()) page.element("p", error.hint);
      },
      status);
}

}  // namespace holdfast::web
