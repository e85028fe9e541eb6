#include "kinds/research/text/pdf_text.h"

#include "base/text/text.h"
#include "net/run/child.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace holdfast::research {

namespace {

constexpr const char* kPdfToText = "pdftotext";
constexpr std::chrono::seconds kPdfPatience{20};      // a file of kMaxFileBytes takes one
constexpr std::size_t kMaxPdfText = 16 << 20;         // its pages are compressed, and may be a bomb
constexpr std::size_t kMaxComplaintCharacters = 120;  // of what it says about a broken file

}  // namespace

bool is_pdf(std::string_view bytes) {
  return bytes.starts_with("%PDF-");
}

bool has_pdftotext() {
  const char* value = std::getenv("PATH");
  for (std::string_view path = value ? value : ""; !path.empty();) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    const std::string program = fmt::format("{}/{}", path.substr(0, colon), kPdfToText);
    if (::access(program.c_str(), X_OK) == 0) return true;
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  return false;
}

Result<std::string> text_of_pdf(std::string bytes) {
  net::ChildCall call;
  call.arguments = {kPdfToText, "-q", "-enc", "UTF-8", "-nopgbrk", "-", "-"};
  call.input = std::move(bytes);
  call.timeout = kPdfPatience;
  call.max_output = kMaxPdfText;
  HF_TRY(net::ChildResult result, net::run_child(call));
  if (result.exit_code == 0) return to_valid_utf8(result.output);
  const std::string_view complaint = trim(std::string_view(result.errors).substr(0, result.errors.find('\n')));
  return fail(ErrorKind::corrupt, complaint.empty() ? fmt::format("pdftotext ended with {}", result.exit_code)
                                                    : shorten(to_valid_utf8(complaint), kMaxComplaintCharacters));
}

}  // namespace holdfast::research
