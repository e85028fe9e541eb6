// import thoughtbox|lineage: what programs that came before have kept.

#include "base/text/uri.h"
#include "kinds/reasoning/read/import_thoughtbox.h"
#include "kinds/transcripts/family/lineage.h"
#include "operations/context.h"
#include "operations/table.h"

#include <array>

namespace holdfast::operations {

namespace {

constexpr std::array kThoughtboxParameters{needed("folder", "FOLDER", "~/.thoughtbox, or one project or session of it"),
                                           Parameter{.name = "root", .help = "the project that they are made sessions of"}};

Result<Facts> import_thoughtbox(Context& context, const Given& given) {
  std::string root = given.text("root");
  if (!root.empty()) {
    HF_TRY(root, canonical_root(root));
  }
  HF_TRY(const std::string folder, context.absolute(given.text("folder")));
  HF_TRY(session::Store* const store, context.store(false));
  reasoning::Situation situation;
  situation.principal = context.identity().principal;
  situation.client = "import";
  HF_TRY(const auto report, reasoning::import_thoughtbox(*store, folder, root, situation));
  return Facts{{"sessions", report.sessions},
               {"thoughts", report.thoughts},
               {"known", report.known},
               {"problems", to_json_array(report.problems)}};
}

constexpr std::array kLineageFileParameters{needed("file", "PATH", "the file")};

Result<Facts> import_lineage(Context& context, const Given& given) {
  HF_TRY(const std::string path, context.absolute(given.text("file")));
  HF_TRY(session::Store* const store, context.store(false));
  HF_TRY(const std::size_t count, transcripts::import_lineage(*store, path));
  return Facts{{"imported", count}};
}

constexpr std::array kImporting{
    adds("import thoughtbox", "reasoning sessions of a Thoughtbox data folder", kThoughtboxParameters, import_thoughtbox),
    adds("import lineage", "claude-session's lineage.json", kLineageFileParameters, import_lineage),
};

}  // namespace

std::span<const Operation> importing_operations() {
  return kImporting;
}

}  // namespace holdfast::operations
