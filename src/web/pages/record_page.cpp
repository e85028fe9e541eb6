#include "base/text/text.h"
#include "base/text/uri.h"
#include "reading/html/visible_text.h"
#include "web/pages/reader_page.h"
#include "web/pages/shown.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::web {

namespace {

constexpr std::uint64_t kShownRecordBytes = 256 * 1024;     // on one page
constexpr std::uint64_t kDownloadBytes = 16 * 1024 * 1024;  // in one answer, which is held in memory

Result<reading::ByteSource> source_of(reading::Reading& reading, const PageRequest& request) {
  if (const std::string_view file = request.query.get("file"); !file.empty()) return reading.saved_file(file);
  return reading.whole_record(number_in(request.query, "line"));
}

Result<std::string> part_of(const reading::ByteSource& source, std::uint64_t part, std::uint64_t size) {
  const std::uint64_t parts = source.size / size + 1;
  if (part >= parts) return fail(ErrorKind::not_found, fmt::format("it has {} parts", parts));
  std::string bytes(static_cast<std::size_t>(std::min(size, source.size - part * size)), '\0');
  HF_TRY(const std::size_t got, source.read(part * size, bytes));
  bytes.resize(got);
  return bytes;
}

std::string address(const PageRequest& request, std::string_view below, std::uint64_t part) {
  return fmt::format("/sessions/{}{}?{}", percent_encode(request.parts.front()), below,
                     request.query.with("part", std::to_string(part)).encode());
}

}  // namespace

Result<net::HttpResponse> record_page(const Reader& reader, const PageRequest& request) {
  HF_TRY(const OpenedSession opened, open_session(reader, request));
  HF_TRY(const reading::ByteSource source, source_of(*opened.reading, request));
  const std::uint64_t part = number_in(request.query, "part");
  HF_TRY(const std::string text, part_of(source, part, kShownRecordBytes));
  const std::uint64_t line = number_in(request.query, "line");
  const std::string title = line > 0 ? fmt::format("Line {}", line) : reading::visible_line(request.query.get("file"), 100);
  return show_page(request, {title, Section::timeline}, [&](Html& page) {
    page.element("h1", title);
    page.open("p").element("a", "Back to the session", {{"href", session_path(opened.subject.id, line)}});
    page.text(fmt::format(" · {} ", readable_size(static_cast<std::int64_t>(source.size))));
    for (std::uint64_t each = 0; each * kDownloadBytes < source.size; ++each)
      page.text(" · ").element("a", source.size <= kDownloadBytes ? "Download" : fmt::format("Download part {}", each + 1),
                               {{"href", address(request, "/raw", each)}});
    page.close();
    page.element("pre", reading::visible_text(text), {{"dir", "auto"}});
    page.open("nav", {{"aria-label", "Parts"}});
    if (part > 0) page.element("a", "Earlier", {{"href", address(request, "/record", part - 1)}, {"rel", "prev"}}).text(" ");
    if ((part + 1) * kShownRecordBytes < source.size)
      page.element("a", "Later", {{"href", address(request, "/record", part + 1)}, {"rel", "next"}});
    page.close();
  });
}

Result<net::HttpResponse> raw_record(const Reader& reader, const PageRequest& request) {
  HF_TRY(const OpenedSession opened, open_session(reader, request));
  HF_TRY(const reading::ByteSource source, source_of(*opened.reading, request));
  const std::uint64_t part = number_in(request.query, "part");
  HF_TRY(std::string bytes, part_of(source, part, kDownloadBytes));
  return net::HttpResponse{
      200,
      {{"Content-Type", "application/octet-stream"},
       {"Content-Disposition", fmt::format("attachment; filename=\"record-{}.{}.txt\"", number_in(request.query, "line"), part)},
       {"Content-Security-Policy", "default-src 'none'; sandbox"},
       {"X-Content-Type-Options", "nosniff"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Cache-Control", "no-store"}},
      std::move(bytes)};
}

Result<net::HttpResponse> image_of_session(const Reader& reader, const PageRequest& request) {
  HF_TRY(const OpenedSession opened, open_session(reader, request));
  HF_TRY(reading::ImageBytes image, opened.reading->image(request.query.get("ref")));
  return net::HttpResponse{200,
                           {{"Content-Type", std::move(image.media_type)},
                            {"Content-Security-Policy", "default-src 'none'; sandbox"},
                            {"X-Content-Type-Options", "nosniff"},
                            {"Cross-Origin-Resource-Policy", "same-origin"},
                            {"Cache-Control", "private, max-age=3600"}},
                           std::move(image.bytes)};
}

}  // namespace holdfast::web
