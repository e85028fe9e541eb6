// What a model does with documents under review: it reads, searches and proposes; nothing it proposes is final. The texts are the
// kind's own (document-review §5), the same wherever they are shown.

#include "operations/context.h"
#include "operations/documents/review.h"
#include "operations/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;
using documents::EditRequest;

constexpr std::int64_t kMaxNumber = 1'000'000'000;  // lines, entries: far more than a document of 8 MB can have
constexpr std::int64_t kMaxEdits = 100;             // of one call: a model writes every one of them
constexpr std::int64_t kMaxWithdrawn = 1000;
constexpr std::int64_t kMaxListOffset = 1'000'000;                      // more changes than any person decides
constexpr std::int64_t kFoundDocuments = 20, kMaxFoundDocuments = 100;  // document-review §12

constexpr Parameter kHandle{.name = "session_id", .help = "the session_id that create_session or read gave you"};
constexpr Parameter kNeededHandle{.name = kHandle.name, .help = kHandle.help, .required = true};
constexpr Parameter kDocument = needed("file_path", {}, "path of the document, as glob prints it");
constexpr Parameter kView{.name = "view",
                          .help = "accepted: with pending changes [default]; base: without them; raw: with their markup",
                          .words = "accepted|base|raw"};
// Of what stands around a match.
constexpr Parameter lines_around(std::string_view name, std::string_view option, std::string_view help) {
  return {.name = name, .type = number, .help = help, .most = kMaxNumber, .option = option};
}

// The workspace and who asks it, with the session that the call names.
struct Proposing {
  Documents documents;
  documents::Asker asker;

  documents::Workspace& workspace() const { return *documents.workspace; }
};

// `work` answers with a text, which is all there is to tell.
template <auto work>
Result<Facts> by_model(Context& context, const Given& given) {
  HF_TRY(Documents documents, context.documents());
  HF_TRY(documents::Asker asker, documents.asker());
  asker.session_id = given.text(kHandle.name);
  const Proposing call{std::move(documents), std::move(asker)};
  Result<std::string> text;
  if constexpr (std::is_invocable_v<decltype(work), const Proposing&, const Given&>)
    text = work(call, given);
  else
    text = work(call, given, context);
  if (!text) return fail(std::move(text).error());
  return Facts{{"text", *std::move(text)}};
}

std::size_t size_in(const Given& given, std::string_view name, std::int64_t fallback) {
  return static_cast<std::size_t>(given.number(name, fallback));
}

constexpr std::array kDocumentBeginParameters{
    Parameter{.name = "name", .help = "the person you work for; your changes are signed \"<name>'s AI\""},
    Parameter{.name = "model", .help = "which model you are"},
    Parameter{.name = "resume", .help = "label of an earlier session; its old id stops working"}, kHandle};
constexpr std::array kDocumentEndParameters{kNeededHandle};

// ---- reading ----

constexpr std::array kDocumentReadParameters{kDocument, bounded("offset", "first line, from 1", {}, 0, kMaxNumber),
                                             bounded("limit", "how many lines [2000]", {}, 1, kMaxNumber), kView, kHandle};

Result<std::string> read_document(const Proposing& call, const Given& given) {
  documents::ReadRequest request;
  request.file_path = given.text("file_path");
  if (given.has("view")) request.view = given.text("view");
  request.offset = std::max<std::int64_t>(1, given.number("offset", request.offset));
  request.limit = given.number("limit", request.limit);
  return call.workspace().read(call.asker, request);
}

constexpr std::array kDocumentGlobParameters{needed("pattern", {}, "such as notes/**/*.md, [a-c]*.txt or {a,b}.md"),
                                             Parameter{.name = "path", .help = "a folder: the pattern is matched below it"},
                                             kHandle};

constexpr std::array kDocumentGrepParameters{
    Parameter{
        .name = "pattern",
        .help = "regular expression (RE2: no look-around, no back-references; \\b, \\w and \\d are ASCII, \\pL is any letter)",
        .required = true},
    Parameter{.name = "path", .help = "a document or a folder [everything]"},
    Parameter{.name = "glob", .help = "only documents whose path fits, such as notes/**/*.md"},
    Parameter{.name = "output_mode", .help = "[files_with_matches]", .words = "files_with_matches|content|count"},
    Parameter{.name = "ignore_case", .type = flag, .help = "ignore case", .option = "-i"},
    lines_around("lines_after", "-A", "lines after each match; wins over -C"),
    lines_around("lines_before", "-B", "lines before each match; wins over -C"),
    lines_around("lines_around", "-C", "lines before and after each match"),
    bounded("head_limit", "at most so many documents, or lines with output_mode content [250]", {}, 1, kMaxNumber),
    bounded("offset", "leave out so many of them", {}, 0, kMaxNumber),
    Parameter{.name = "multiline", .type = flag, .help = "the pattern may span lines, and . matches line ends"},
    kView,
    kHandle};

Result<std::string> grep_documents(const Proposing& call, const Given& given) {
  documents::GrepRequest request;
  request.pattern = given.text("pattern");
  request.path = given.text("path");
  request.glob = given.text("glob");
  if (given.has("output_mode")) request.output_mode = given.text("output_mode");
  if (given.has("view")) request.view = given.text("view");
  request.ignore_case = given.flag("ignore_case");
  request.multiline = given.flag("multiline");
  const std::int64_t around = given.number("lines_around", 0);
  request.before = given.number("lines_before", around);
  request.after = given.number("lines_after", around);
  for (const char* name : {"lines_after", "lines_before", "lines_around"})
    request.context_asked = request.context_asked || given.has(name);
  request.head_limit = size_in(given, "head_limit", static_cast<std::int64_t>(request.head_limit));
  request.offset = size_in(given, "offset", 0);
  request.cancelled = call.asker.cancelled;
  return call.workspace().grep(call.asker, std::move(request));
}

constexpr std::array kOneDocumentParameters{kDocument, kHandle};
constexpr std::array kDocumentSearchParameters{Parameter{.name = "query", .help = "words to look for", .required = true},
                                               bounded("limit", "how many [20]", {}, 1, kMaxFoundDocuments), kHandle};
constexpr std::array kDocumentListParameters{
    Parameter{.name = "path", .help = "only in this document or folder"},
    Parameter{.name = "author", .help = "only of this author, exactly as shown"},
    Parameter{.name = "since", .help = "only made at this time or later: 3d, 2026-07-01 or 2026-07-28T09:30:00Z"},
    bounded("offset", "how many to leave out, to go on behind a long list [0]", {}, 0, kMaxListOffset), kHandle};

Result<std::string> list_pending(const Proposing& call, const Given& given, Context& context) {
  HF_TRY(documents::ChangeFilter filter, change_filter(context, call.documents, given));
  filter.offset = size_in(given, "offset", 0);
  return call.workspace().list_changes(call.asker, filter);
}

// ---- proposing ----

constexpr std::array kDocumentEditParameters{
    kDocument,
    Parameter{.name = "old_string",
              .help = "text to replace, exactly as read shows it (without line numbers), with enough around it to be unique",
              .required = true},
    Parameter{.name = "new_string", .help = "what shall stand there; {>>note<<} in it adds a comment", .required = true},
    Parameter{.name = "replace_all", .type = flag, .help = "every occurrence instead of the only one"},
    Parameter{.name = "edits",
              .type = json,
              .help = "further edits of the same document, in order: all are made, or none",
              .most = kMaxEdits},
    Parameter{.name = "expected_version",
              .help = "the [version: …] that read showed: refuse when the document is another one by now"},
    kNeededHandle};

EditRequest::One one_edit(const JsonObject& arguments) {
  return {text_in(arguments, "old_string"), text_in(arguments, "new_string"),
          find_bool(arguments, "replace_all").value_or(false)};
}

Result<std::string> edit_document(const Proposing& call, const Given& given) {
  EditRequest request;
  request.file_path = given.text("file_path");
  request.expected_version = given.text("expected_version");
  const JsonArray* more = find_array(given.values(), "edits");
  if (!more || given.has("old_string") || given.has("new_string")) {
    for (const char* name : {"old_string", "new_string"})
      if (!given.has(name))
        return fail(ErrorKind::invalid, fmt::format("{{{}}} is required", name), "give {old_string} and {new_string}",
                    "bad_argument");
    request.edits.push_back(one_edit(given.values()));
  }
  if (more)
    for (const Json& each : *more) request.edits.push_back(one_edit(each.as_object()));
  if (request.edits.empty())
    return fail(ErrorKind::invalid, "{edits} is empty", "give {old_string} and {new_string}", "bad_argument");
  return call.workspace().edit(call.asker, request);
}

constexpr std::array kDocumentCreateParameters{needed("file_path", {}, "path of the new document"),
                                               Parameter{.name = "content", .help = "its text [empty]"}, kHandle};
constexpr std::array kDocumentMoveParameters{Parameter{.name = "path", .help = "the document or folder", .required = true},
                                             Parameter{.name = "file_path", .help = "the same as path"},
                                             needed("new_path", {}, "where it shall be; must not exist"), kNeededHandle};

// `path` is the name; models that know the other tools say `file_path`.
Result<std::string> move_document(const Proposing& call, const Given& given) {
  const std::string path = given.text("path"), alias = given.text("file_path");
  if (path.empty() && alias.empty()) return fail(ErrorKind::invalid, "{path} is required", "name what to move", "bad_argument");
  if (!path.empty() && !alias.empty() && path != alias)
    return fail(ErrorKind::invalid, "{path} and {file_path} name different documents", "give {path} alone", "bad_argument");
  return call.workspace().move(call.asker, path.empty() ? alias : path, given.text("new_path"));
}

constexpr std::array kDocumentDeleteParameters{kDocument, kNeededHandle};
constexpr std::array kDocumentWithdrawParameters{Parameter{.name = "ids",
                                                           .type = texts,
                                                           .help = "ids of changes, such as c_k3f9",
                                                           .least = 1,
                                                           .most = kMaxWithdrawn,
                                                           .required = true,
                                                           .may_be_empty = false},
                                                 kNeededHandle};

// Every change can be rejected, a move undone, a deleted document brought back. A session is what reading begins with.
constexpr std::array kProposing{
    for_scope(Scope::read, adds("documents create_session", "begin working on documents", kDocumentBeginParameters,
                                by_model<[](const Proposing& call, const Given& given) {
                                  return call.workspace().create_session(call.asker, given.text("name"), given.text("model"),
                                                                         given.text("resume"));
                                }>)),
    reads("documents read", "a document with numbered lines", kDocumentReadParameters, by_model<read_document>),
    changes("documents edit", "propose a change of a document", kDocumentEditParameters, by_model<edit_document>),
    reads("documents glob", "documents by the pattern of their path", kDocumentGlobParameters,
          by_model<[](const Proposing& call, const Given& given) {
            return call.workspace().glob(call.asker, {given.text("pattern"), given.text("path"), call.asker.cancelled});
          }>),
    reads("documents grep", "documents by a regular expression", kDocumentGrepParameters, by_model<grep_documents>),
    reads("documents get_links", "the links from and to a document", kOneDocumentParameters,
          by_model<[](const Proposing& call, const Given& given) {
            return call.workspace().get_links(call.asker, given.text("file_path"));
          }>),
    reads("documents search", "documents by words, best first", kDocumentSearchParameters,
          by_model<[](const Proposing& call, const Given& given) {
            return call.workspace().search(call.asker, given.text("query"), size_in(given, "limit", kFoundDocuments));
          }>),
    adds("documents create", "propose a new document", kDocumentCreateParameters,
         by_model<[](const Proposing& call, const Given& given) {
           return call.workspace().create(call.asker, given.text("file_path"), given.text("content"));
         }>),
    changes("documents move", "move a document or a folder, with the links to it", kDocumentMoveParameters,
            by_model<move_document>),
    changes("documents delete", "propose to delete a document", kDocumentDeleteParameters,
            by_model<[](const Proposing& call, const Given& given) {
              return call.workspace().remove(call.asker, given.text("file_path"));
            }>),
    reads("documents list_changes", "changes that wait for a person's review", kDocumentListParameters, by_model<list_pending>),
    changes("documents withdraw", "take back own changes", kDocumentWithdrawParameters,
            by_model<[](const Proposing& call, const Given& given) {
              return call.workspace().withdraw(call.asker, given.texts("ids"));
            }>),
    for_scope(Scope::read,
              changes("documents end_session", "end working on documents", kDocumentEndParameters,
                      by_model<[](const Proposing& call, const Given&) { return call.workspace().end_session(call.asker); }>)),
};

}  // namespace

std::span<const Operation> proposing_operations() {
  return kProposing;
}

}  // namespace holdfast::operations
