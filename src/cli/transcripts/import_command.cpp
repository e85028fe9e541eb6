// holdfast import thoughtbox: sessions of the program that came before.

#include "base/text/uri.h"
#include "cli/program/context.h"
#include "kinds/reasoning/read/import_thoughtbox.h"

#include <fmt/format.h>

namespace holdfast::cli {

Result<void> import_thoughtbox(Context& context) {
  std::string root;
  if (const std::string& given = context.settings.text("root"); !given.empty()) {
    HF_TRY(root, canonical_root(given));
  }
  HF_TRY(auto store, context.open_store());
  reasoning::Situation situation;
  situation.principal = context.settings.text("principal");
  situation.client = "import";
  HF_TRY(const reasoning::ImportReport report,
         reasoning::import_thoughtbox(*store, context.given.text("folder"), root, situation));
  if (context.json) {
    JsonArray problems;
    for (const std::string& problem : report.problems) problems.emplace_back(problem);
    print_json(JsonObject{{"sessions", report.sessions},
                          {"thoughts", report.thoughts},
                          {"known", report.known},
                          {"problems", std::move(problems)}});
    return {};
  }
  print(fmt::format("{} sessions with {} thoughts imported, {} were known before\n", report.sessions, report.thoughts,
                    report.known));
  for (const std::string& problem : report.problems) print(harmless(problem, true) + "\n");
  return {};
}

}  // namespace holdfast::cli
