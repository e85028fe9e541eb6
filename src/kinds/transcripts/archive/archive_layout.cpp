// The order in which an archive is written, and why.
//
// An archive is one JSON document that any reader of the original's format can take. It is written twice over: once to a counter,
// so that the compressed frame can say how long it is, and once to the file. Nothing is buffered between the two, so both must
// see the same bytes: the survey has hashed every file, the writer hashes them again, and a file that changed meanwhile is a
// conflict. The header and the extension block "holdfast" stand in front of everything else. The block says what every file must
// be in the end (path, mode, hash, the lines that are no records), so a reader that streams knows each file before its first
// byte, never holds one, and notices at its end what was damaged. Behind it stand the records and the texts in the fields of the
// format; what no field can give back byte for byte stands in the block, in base64. The file has no name until all of it is on
// the disk (new_file.h): a crash while it is written leaves nothing, and a full disk an error.

#include "kinds/transcripts/archive/archive_layout.h"

#include "base/json/json.h"
#include "kinds/transcripts/archive/archive_encode.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::transcripts {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string quoted_or_null(std::string_view text) {
  return text.empty() ? "null" : quoted(text);
}

// "name":[ or {, items with commas between them, and the end; each on a line of its own.
class List {
 public:
  List(DocumentOutput& out, std::string_view opening, char closing) : out_(out), opening_(opening), closing_(closing) {}

  Result<void> item() {
    HF_CHECK(out_.text(any_ ? ",\n" : std::string(opening_) + "\n"));
    any_ = true;
    return {};
  }
  Result<void> end() {
    if (!any_) HF_CHECK(out_.text(opening_));
    return out_.text(any_ ? std::string("\n") + closing_ : std::string(1, closing_));
  }

 private:
  DocumentOutput& out_;
  std::string_view opening_;
  char closing_;
  bool any_ = false;
};

class Layout {
 public:
  Layout(const Document& document, DocumentOutput& out)
      : document_(document), header_(document.header), out_(out), modern_(header_.byte_true) {}

  Result<void> run() {
    HF_CHECK(header());
    if (modern_) HF_CHECK(block());
    HF_CHECK(main_session());
    HF_CHECK(agent_files());
    if (modern_) {
      HF_CHECK(agent_metadata());
      HF_CHECK(texts_by_key("workflow_journals", Holder::workflow_journals));
      HF_CHECK(texts_by_key("workflow_runs", Holder::workflow_runs));
    }
    HF_CHECK(texts("plan_files", "slug", Holder::plan_files));
    HF_CHECK(tool_results());
    HF_CHECK(tool_result_dirs());
    HF_CHECK(texts("todos", "agent_id", Holder::todos));
    if (modern_) HF_CHECK(texts("session_env", "filename", Holder::session_env));
    HF_CHECK(tasks());
    HF_CHECK(texts_by_key("task_metadata", Holder::task_metadata));
    if (modern_) {
      HF_CHECK(one_text("session_memory", Holder::session_memory));
      HF_CHECK(one_text("debug_log", Holder::debug_log));
    }
    return totals();
  }

 private:
  Result<void> header() {
    return out_.text(fmt::format(
        "{{\"version\":{},\n\"session_id\":{},\n\"archived_at\":{},\n\"original_project_path\":{},\n"
        "\"claude_code_version\":{},\n\"machine_id\":{},\n\"custom_title\":{},\n",
        quoted(header_.version), quoted(header_.session_id), quoted(header_.archived_at), quoted(header_.original_project_path),
        quoted(header_.claude_code_version.empty() ? "unknown" : header_.claude_code_version), quoted_or_null(header_.machine_id),
        quoted_or_null(header_.custom_title)));
  }

  // Small maps first, what is streamed last: so reading back is one pass.
  Result<void> block() {
    HF_CHECK(out_.text(fmt::format("\"holdfast\":{{\"ext\":1,\n\"product\":{},\n\"project_folder\":{},\n\"redacted\":{},\n",
                                   quoted(header_.product), quoted(header_.project_folder), header_.redacted)));
    HF_CHECK(block_names());
    HF_CHECK(block_lines());
    HF_CHECK(block_bytes());
    return out_.text("},\n");
  }

  Result<void> block_names() {
    List slugs(out_, "\"slugs\":[", ']');
    for (const std::string& slug : document_.inventory.slugs) HF_CHECK(item(slugs, quoted(slug)));
    HF_CHECK(slugs.end());
    List files(out_, ",\n\"files\":[", ']');
    for (const SurveyedFile& file : document_.survey.files) {
      HF_CHECK(
          item(files, fmt::format(R"({{"path":{},"sha256":"{}","bytes":{},"mode":{},"mtime_ms":{}}})", quoted(file.artifact.path),
                                  to_hex(file.sha256), file.bytes, file.artifact.mode, file.artifact.mtime)));
    }
    HF_CHECK(files.end());
    List folders(out_, ",\n\"folders\":[", ']');
    for (const ArtifactFolder& folder : document_.inventory.folders) {
      if (!is_kept(folder.path)) continue;
      HF_CHECK(item(folders, fmt::format(R"({{"path":{},"mode":{}}})", quoted(folder.path), folder.mode)));
    }
    return folders.end();
  }

  bool is_kept(const std::string& folder) const {
    if (!is_safe_path(folder)) return false;
    if (document_.without_shared && !folder.starts_with("projects/")) return false;
    return document_.with_history || !folder.starts_with("file-history/");
  }

  Result<void> block_lines() {
    List irregular(out_, ",\n\"irregular\":{", '}');
    for (const SurveyedFile& file : document_.survey.files) {
      if (file.irregular.empty()) continue;
      HF_CHECK(item(irregular, quoted(file.artifact.path) + ":"));
      List lines(out_, "[", ']');
      for (const IrregularLine& line : file.irregular)
        HF_CHECK(item(lines, fmt::format(R"({{"line":{},"b64":"{}"}})", line.line, to_base64(line.bytes))));
      HF_CHECK(lines.end());
    }
    HF_CHECK(irregular.end());
    List tails(out_, ",\n\"tail\":{", '}');
    for (const SurveyedFile& file : document_.survey.files) {
      if (file.tail.empty()) continue;
      HF_CHECK(item(tails, fmt::format("{}:\"{}\"", quoted(file.artifact.path), to_base64(file.tail))));
    }
    HF_CHECK(tails.end());
    List crlf(out_, ",\n\"crlf\":[", ']');
    for (const SurveyedFile& file : document_.survey.files)
      if (file.crlf && !file.raw) HF_CHECK(item(crlf, quoted(file.artifact.path)));
    return crlf.end();
  }

  Result<void> block_bytes() {
    List raw(out_, ",\n\"raw\":{", '}');
    for (const SurveyedFile& file : document_.survey.files) {
      if (!file.raw || file.slot.holder == Holder::extra_files) continue;
      HF_CHECK(item(raw, quoted(file.artifact.path) + ":"));
      HF_CHECK(content(file, Form::base64));
    }
    HF_CHECK(raw.end());
    List extra(out_, ",\n\"extra_files\":[", ']');
    const std::string session = document_.inventory.place.folder() + "/";
    for (const SurveyedFile& file : document_.survey.files) {
      if (file.slot.holder != Holder::extra_files) continue;
      const std::string_view path = file.artifact.path;
      const std::string_view below = path.starts_with(session) ? path.substr(session.size()) : std::string_view();
      const bool in_session = is_safe_path(below);
      HF_CHECK(item(extra, fmt::format(R"({{"root":"{}","path":{},"b64":)", in_session ? "session" : "config",
                                       quoted(in_session ? below : path))));
      HF_CHECK(content(file, Form::base64));
      HF_CHECK(out_.text("}"));
    }
    return extra.end();
  }

  Result<void> main_session() {
    for (const SurveyedFile& file : document_.survey.files) {
      if (file.slot.holder != Holder::main_session) continue;
      HF_CHECK(out_.text("\"main_session\":{"));
      HF_CHECK(records(file));
      return out_.text("},\n");
    }
    return fail(ErrorKind::internal, "an archive without a main transcript");
  }

  Result<void> records(const SurveyedFile& file) {
    HF_CHECK(out_.text(fmt::format("\"record_count\":{},\"records\":[", file.records)));
    if (file.records == 0) return out_.text("]");
    HF_CHECK(out_.text("\n"));
    HF_CHECK(out_.content(file, Form::records));
    return out_.text("\n]");
  }

  Result<void> agent_files() {
    List list(out_, "\"agent_files\":[", ']');
    for (const SurveyedFile& file : document_.survey.files) {
      if (file.slot.holder != Holder::agent_files || !is_written(file, header_)) continue;
      std::string opening = fmt::format(R"({{"agent_id":{},"agent_type":{},"nested":{},)", quoted(file.slot.id),
                                        quoted_or_null(agent_type_of(file.slot.id)), file.slot.nested);
      if (modern_) opening += fmt::format("\"workflow_subpath\":{},", quoted_or_null(file.slot.folder));
      HF_CHECK(item(list, opening));
      HF_CHECK(records(file));
      HF_CHECK(out_.text("}"));
    }
    HF_CHECK(list.end());
    return out_.text(",\n");
  }

  Result<void> agent_metadata() {
    List list(out_, "\"agent_metadata\":[", ']');
    for (const SurveyedFile& file : document_.survey.files) {
      if (file.slot.holder != Holder::agent_metadata) continue;
      HF_CHECK(item(list, fmt::format(R"({{"agent_id":{},"workflow_subpath":{},"content":)", quoted(file.slot.id),
                                      quoted_or_null(file.slot.folder))));
      HF_CHECK(content(file, Form::text));
      HF_CHECK(out_.text("}"));
    }
    HF_CHECK(list.end());
    return out_.text(",\n");
  }

  Result<void> texts(std::string_view member, std::string_view id, Holder holder) {
    const std::string opening = fmt::format("\"{}\":[", member);
    List list(out_, opening, ']');
    for (const SurveyedFile& file : document_.survey.files) {
      if (file.slot.holder != holder) continue;
      HF_CHECK(item(list, fmt::format(R"({{"{}":{},"content":)", id, quoted(file.slot.id))));
      HF_CHECK(content(file, Form::text));
      HF_CHECK(out_.text("}"));
    }
    HF_CHECK(list.end());
    return out_.text(",\n");
  }

  Result<void> texts_by_key(std::string_view member, Holder holder) {
    const std::string opening = fmt::format("\"{}\":{{", member);
    List list(out_, opening, '}');
    for (const SurveyedFile& file : document_.survey.files) {
      if (file.slot.holder != holder) continue;
      HF_CHECK(item(list, quoted(file.slot.id) + ":"));
      HF_CHECK(content(file, Form::text));
    }
    HF_CHECK(list.end());
    return out_.text(",\n");
  }

  // The extension in front of the content, so that a reader knows the file before its bytes come.
  Result<void> tool_results() {
    List list(out_, "\"tool_results\":[", ']');
    for (const SurveyedFile& file : document_.survey.files) {
      if (file.slot.holder != Holder::tool_results) continue;
      HF_CHECK(item(list, fmt::format(R"({{"tool_use_id":{},"extension":{},"content":)", quoted(file.slot.id),
                                      quoted(file.slot.extension))));
      HF_CHECK(content(file, Form::base64url));
      HF_CHECK(out_.text("}"));
    }
    HF_CHECK(list.end());
    return out_.text(",\n");
  }

  // The files are sorted by path, so those of one folder follow each other.
  Result<void> tool_result_dirs() {
    List folders(out_, "\"tool_result_dirs\":[", ']');
    const auto& files = document_.survey.files;
    for (std::size_t i = 0; i < files.size();) {
      if (files[i].slot.holder != Holder::tool_result_dirs) {
        ++i;
        continue;
      }
      const std::string& name = files[i].slot.folder;
      HF_CHECK(item(folders, fmt::format(R"({{"name":{},)", quoted(name))));
      List list(out_, "\"files\":[", ']');
      for (; i < files.size() && (files[i].slot.holder == Holder::extra_files || files[i].slot.folder == name); ++i) {
        if (files[i].slot.holder != Holder::tool_result_dirs) continue;
        HF_CHECK(item(list, fmt::format(R"({{"filename":{},"extension":{},"content":)", quoted(files[i].slot.id),
                                        quoted(files[i].slot.extension))));
        HF_CHECK(content(files[i], Form::base64url));
        HF_CHECK(out_.text("}"));
      }
      HF_CHECK(list.end());
      HF_CHECK(out_.text("}"));
    }
    HF_CHECK(folders.end());
    return out_.text(",\n");
  }

  Result<void> tasks() {
    List list(out_, "\"tasks\":[", ']');
    for (const SurveyedFile& file : document_.survey.files)
      if (file.slot.holder == Holder::tasks) HF_CHECK(item(list, file.object));
    HF_CHECK(list.end());
    return out_.text(",\n");
  }

  Result<void> one_text(std::string_view member, Holder holder) {
    HF_CHECK(out_.text(fmt::format("\"{}\":", member)));
    const auto& files = document_.survey.files;
    const auto found = std::ranges::find_if(files, [&](const SurveyedFile& file) { return file.slot.holder == holder; });
    HF_CHECK(found == files.end() ? out_.text("null") : content(*found, Form::text));
    return out_.text(",\n");
  }

  Result<void> totals() {
    std::uint64_t all = 0, agents = 0;
    for (const SurveyedFile& file : document_.survey.files) {
      if (!holds_records(file) || !is_written(file, header_)) continue;
      all += file.records;
      if (file.slot.holder == Holder::agent_files) agents += file.records;
    }
    return out_.text(fmt::format("\"total_session_records\":{},\n\"total_agent_records\":{}}}\n", all, agents));
  }

  Result<void> item(List& list, std::string_view text) {
    HF_CHECK(list.item());
    return out_.text(text);
  }

  Result<void> content(const SurveyedFile& file, Form form) {
    HF_CHECK(out_.text("\""));
    HF_CHECK(out_.content(file, form));
    return out_.text("\"");
  }

  const Document& document_;
  const ArchiveHeader& header_;
  DocumentOutput& out_;
  bool modern_;
};

}  // namespace

std::uint64_t size_of_content(const SurveyedFile& file, Form form) {
  switch (form) {
    case Form::records:
      return file.record_bytes + (file.records > 0 ? (file.records - 1) * 2 : 0);
    case Form::text:
      return file.text_bytes;
    case Form::base64:
    case Form::base64url:
      return Base64Encoder::length_of(file.bytes);
  }
  return 0;
}

bool is_written(const SurveyedFile& file, const ArchiveHeader& header) {
  if (header.byte_true) return true;
  switch (file.slot.holder) {
    case Holder::main_session:
    case Holder::plan_files:
    case Holder::tool_results:
    case Holder::tool_result_dirs:
    case Holder::todos:
    case Holder::tasks:
    case Holder::task_metadata:
      return true;
    case Holder::agent_files:
      return file.slot.folder.empty();  // its version has no folders of subagents: two of one name would be one
    default:
      return false;
  }
}

Result<void> write_document(const Document& document, DocumentOutput& out) {
  return Layout(document, out).run();
}

}  // namespace holdfast::transcripts
