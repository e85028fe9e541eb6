#include "operations/transcripts/transcript_parameters.h"

#include "base/run/when.h"
#include "kinds/transcripts/products/claude/project_folder.h"

#include <fmt/format.h>

namespace holdfast::operations {

Result<Translation> translation_of(const Given& given) {
  using enum transcripts::PathLevel;
  Translation translation;
  const std::string level = given.text("translate");
  translation.level = given.flag("no_translate") ? none : level == "cwd" ? cwd : level == "all" ? all : fields;
  for (const std::string& text : given.texts("map")) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      return fail(ErrorKind::invalid, fmt::format("{{map}} {}: not of the form OLD=NEW", text), "as in {map} /old/lib=/new/lib");
    translation.maps.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return translation;
}

Result<transcripts::KeptVersion> version_of(const Given& given, Millis now) {
  transcripts::KeptVersion version;
  if (const auto number = given.number("version")) version.number = *number;
  if (const std::string as_of = given.text("as_of"); !as_of.empty()) {
    HF_TRY(version.as_of, parse_when(as_of, now));
  }
  return version;
}

Result<std::optional<std::string>> target_of(Context& context, const Given& given) {
  const std::string target = given.text("target_project");
  if (target.empty()) return std::nullopt;
  HF_TRY(const std::string path, context.absolute(target));
  HF_TRY(std::string project, transcripts::existing_project(path));
  return project;
}

transcripts::RemoteOptions remote_of(const Context& context, const Given& given) {
  transcripts::RemoteOptions remote = context.remote();
  remote.replace = given.flag("force");
  if (const std::string token = given.text("gist_token"); !token.empty()) remote.gist.token = token;
  remote.gist.is_public = given.text("gist_visibility") == "public";
  if (const std::string text = given.text("gist_description"); !text.empty()) remote.gist.description = text;
  return remote;
}

}  // namespace holdfast::operations
