#pragma once

// The commands over transcripts, and the search. Included by arguments.cpp alone.

#include "cli/arguments/guard_grammar.h"

#include <array>

namespace holdfast::cli {

class TranscriptGrammar : public GuardGrammar {
 public:
  TranscriptGrammar(CommandLine& line, Program program)
      : GuardGrammar(line, program), given_(line.transcripts), search_(line.search) {}

 protected:
  // ---- transcripts ----

  // Words without a name: `names` is what --help calls them.
  void words(CLI::App& app, const char* names, const char* help, int at_least, int at_most) {
    option(app, names, given_.words, help)->expected(at_least, at_most)->required(at_least > 0);
  }
  void id(CLI::App& app) { words(app, "ID", "id or any unique start of it [the session this runs in]", 0, 1); }
  void scope(CLI::App& app) {
    option(app, "--sp,--source-project,-p,--project", given_.source_project, "only sessions of this folder")->type_name("DIR");
  }
  void source_and_target(CLI::App& app, const char* usual) {
    option(app, "--sp,--source-project", given_.source_project, "only sessions of this folder")->type_name("DIR");
    target(app, usual);
  }
  void target(CLI::App& app, const char* usual) {
    option(app, "--tp,--target-project,-p,--project", given_.target_project, fmt::format("where it goes [{}]", usual).c_str())
        ->type_name("DIR");
  }
  void translation(CLI::App& app) {
    flag(app, "--no-translate", given_.no_translate, "leave paths as they are");
    option(app, "--translate", given_.level, "how far paths are translated [fields]")
        ->check(CLI::IsMember({"cwd", "fields", "all"}))
        ->excludes("--no-translate");
    repeated(app, "--map", given_.maps, "a further path to translate; may be repeated")->type_name("OLD=NEW");
  }
  void kept_version(CLI::App& app) {
    CLI::Option* number =
        option(app, "--version", given_.version, "of what the guard has: this version")->check(CLI::PositiveNumber);
    option(app, "--as-of", given_.as_of, "of what the guard has: as it was kept then")->type_name("TIME")->excludes(number);
  }
  void dry_run(CLI::App& app) { flag(app, "--dry-run", given_.dry_run, "only say what would happen"); }
  void removal(CLI::App& app) {
    flag(app, "-f,--force", given_.force, "also a session that Claude Code made itself");
    flag(app, "-t,--terminate", given_.terminate, "end the client that has it open");
    flag(app, "--no-backup", given_.no_backup, "keep no backup");
    dry_run(app);
  }
  void launch(CLI::App& app) { flag(app, "-l,--launch", given_.launch, "resume it at once; words behind -- go to the client"); }
  void gist(CLI::App& app, bool to_write) {
    option(app, "--gist-token", given_.gist_token, "GitHub token [GITHUB_TOKEN, `gh auth token`]");
    if (!to_write) return;
    option(app, "--gist-visibility", given_.gist_visibility, "secret (unlisted, not private) or public [secret]")
        ->check(CLI::IsMember({"secret", "public"}));
    option(app, "--gist-description", given_.gist_description, "what the gist is called");
  }

  void add_transcripts() {
    CLI::App& list = command(app_, Command::list, "list", "transcripts of this folder's project, newest first");
    scope(list);
    flag(list, "--all", given_.all, "of every project, of Codex, and those that only the guard has")->excludes("--sp");
    flag(list, "--kept", given_.kept, "those that only the guard has: the client deleted them");
    option(list, "--limit", given_.limit, "how many [20]")->check(CLI::Range(1, 100'000));
    CLI::App& info = command(app_, Command::info, "info", "one transcript: files, state, family, what it used");
    id(info);
    scope(info);
    option(info, "-f,--format", given_.format, "text or json [text]")->check(CLI::IsMember({"text", "json"}));
    flag(info, "--cost", given_.cost, "what that costs, by the table in prices.json");
    add_copying();
    add_removing();
    CLI::App& lineage = command(app_, Command::lineage, "lineage", "where a session came from and what came of it");
    words(lineage, "ID", "id or any unique start of it [the session this runs in]; `export ID`: claude-session's own form", 0, 2);
    scope(lineage);
    option(lineage, "-f,--format", given_.format, "text, tree or json [text]")->check(CLI::IsMember({"text", "tree", "json"}));
    add_checking();
    add_guard();
    CLI::App& import = group("import", "take over what other programs kept");
    CLI::App& thoughtbox =
        command(import, Command::import_thoughtbox, "thoughtbox", "reasoning sessions of a Thoughtbox data folder");
    words(thoughtbox, "FOLDER", "~/.thoughtbox, or one project or session of it", 1, 1);
    setting(thoughtbox, "root");
    words(command(import, Command::import_lineage, "lineage", "claude-session's lineage.json"), "PATH", "the file", 1, 1);
  }

  void add_copying() {
    CLI::App& archive = command(app_, Command::archive, "archive", "keep a session in one file, a gist or S3");
    words(archive, "ID OUTPUT", "session, then a path, - (stdout), gist://, gist://ID or s3://BUCKET/KEY [./ID.json.zst]", 0, 2);
    scope(archive);
    option(archive, "-f,--format", given_.format, "json or zst [by the name]")->check(CLI::IsMember({"json", "zst"}));
    flag(archive, "--with-history", given_.with_history, "also the copies of files before edits");
    flag(archive, "--redact", given_.redact, "mask what looks like a credential; then not byte-true");
    option(archive, "--format-version", given_.format_version, "2.4, or 2.1 for older readers [2.4]")
        ->check(CLI::IsMember({"2.1", "2.4"}));
    gist(archive, true);
    flag(archive, "--yes", given_.yes, "upload without asking");
    flag(archive, "--force", given_.force, "replace what S3 has under that key");

    CLI::App& restore = command(app_, Command::restore, "restore", "a session out of an archive: a copy, or in place");
    words(restore, "ARCHIVE", "a file, gist://ID, s3://BUCKET/KEY, - (stdin), or the id of a session that is gone", 1, 1);
    target(restore, "this folder; --in-place: where it was");
    flag(restore, "--in-place", given_.in_place, "same id, same files, bit for bit");
    translation(restore);
    dry_run(restore);
    flag(restore, "--with-session-env", given_.with_session_env, "also the shell scripts of a stranger's archive");
    flag(restore, "--no-session-env", given_.no_session_env, "never shell scripts")->excludes("--with-session-env");
    gist(restore, false);
    launch(restore);

    kept_version(restore);
    flag(restore, "--new-id", given_.new_id, "of a session that is kept in the store: also when it exists, under another id");

    CLI::App& exported = command(app_, Command::exported, "export", "any session as a document: HTML, Markdown or JSON");
    id(exported);
    scope(exported);
    flag(exported, "--all", given_.all, "all transcripts, into a folder with an index")->excludes("--sp");
    option(exported, "-f,--format", given_.format, "html, md or json [by the name of the output, else html]")
        ->check(CLI::IsMember({"html", "md", "json"}));
    option(exported, "-o,--output", given_.output, "a file, - (standard output), or a folder for several [./ID.html]");
    flag(exported, "--detailed", given_.detailed, "Markdown: also tools and thinking");
    flag(exported, "--subagents", given_.subagents, "also the conversations of subagents");
    flag(exported, "--all-branches", given_.all_branches, "every line in the order of the file, not only the current branch");
    kept_version(exported);
    flag(exported, "--redact", given_.redact, "mask what looks like a credential");

    CLI::App& clone = command(app_, Command::clone, "clone", "a second session with the whole history of the first");
    id(clone);
    source_and_target(clone, "where the first is");
    translation(clone);
    flag(clone, "--translate-files", given_.translate_files, "with --translate all: also in saved results and plans");
    option(clone, "--up-to", given_.up_to, "leave out what follows this record")->type_name("UUID");
    flag(clone, "--fresh-uuids", given_.fresh_uuids, "new ids for records, too");
    dry_run(clone);
    launch(clone);
  }

  void add_removing() {
    CLI::App& move = command(app_, Command::move, "move", "a session to another project; it keeps its id");
    id(move);
    source_and_target(move, "this folder");
    translation(move);
    removal(move);
    launch(move);
    CLI::App& erase = command(app_, Command::erase, "delete", "a session and all that belongs to it, after a backup");
    id(erase);
    scope(erase);
    removal(erase);
    erase.add_flag_callback(
        "--delete-cross-session-artifacts", [this] { given_.cross_session = true; },
        "the id exists in several projects: also what they share");
    erase
        .add_flag_callback(
            "--no-delete-cross-session-artifacts", [this] { given_.cross_session = false; },
            "the id exists in several projects: keep what they share")
        ->excludes("--delete-cross-session-artifacts");
    CLI::App& relocate = command(app_, Command::relocate, "relocate", "every session of a folder that was renamed");
    words(relocate, "OLD NEW", "the folder's former and present path", 2, 2);
    translation(relocate);
    removal(relocate);
    flag(relocate, "--yes", given_.yes, "do it without asking");
  }

  void add_checking() {
    CLI::App& verify = command(app_, Command::verify, "verify", "is an archive or a session whole?");
    words(verify, "WHAT", "an archive as restore takes it, or the id of a session", 0, 1);
    scope(verify);
    flag(verify, "--drift", given_.drift, "what holds records that this version does not know");
    gist(verify, false);
    CLI::App& doctor = command(app_, Command::doctor, "doctor", "what is wrong, or soon will be, with the transcripts");
    scope(doctor);
    flag(doctor, "--quick", given_.quick, "names and times only; no transcript is read");
    option(doctor, "--days", given_.days, "warn of what will be cleaned up within N days [7]")->check(CLI::Range(1, 3650));
    flag(doctor, "--fix", given_.fix, "repaired copies beside damaged sessions; ends what died half-way");
    command(app_, Command::schema, "schema", "the records this version knows, as JSON Schema");
  }

  // ---- search ----

  void add_search() {
    CLI::App& search = command(app_, Command::search, "search", "words, phrases and code in every session of every kind");
    option(search, "TEXT", search_.words, "words, word*, *inside*, \"a phrase\", -without, code as it stands")
        ->expected(0, kManyWords);
    repeated(search, "--without", search_.without, "not these words; the same as -word");
    CLI::App& trace = command(app_, Command::trace, "trace", "which sessions touched a file");
    option(trace, "FILE", search_.file, "its path, or the end of it")->required();
    for (CLI::App* each : {&search, &trace}) {
      option(*each, "-p,--project", search_.project, "only sessions of this folder")->type_name("DIR");
      option(*each, "--since", search_.since, "not before this time: 2026-07-01, 3d, 2w")->type_name("TIME");
      option(*each, "--until,--before", search_.until, "before this time")->type_name("TIME");
      option(*each, "--branch", search_.branch, "only on this git branch");
      option(*each, "--tool", search_.tool, "only calls of this tool");
      option(*each, "--model", search_.model, "only answers of this model; a part of its name will do");
      repeated(*each, "--role", search_.roles, "user, assistant, thinking, tool_call, tool_result, system or title");
      option(*each, "--session", search_.session, "only in this session");
      flag(*each, "--newest", search_.newest, "newest first, not best first");
      option(*each, "--limit", line_.limit, "how many sessions [10]")->check(CLI::Range(1, 1000));
      option(*each, "--per-session", search_.per_session, "places of one session [3]")->check(CLI::Range(1, 1000));
      flag(*each, "--no-index", search_.no_index, "do not bring the index up to date first; what is new is scanned");
    }
    repeated(search, "--kind", line_.kinds, "transcript, reasoning, thread, research, document, run; may be repeated");
    option(search, "--file", search_.file, "only where a tool touched this file");
    CLI::App& index = command(app_, Command::index, "index", "bring the search index up to date; searching does so by itself");
    flag(index, "--status", search_.status, "only say how far it is");
    flag(index, "--rebuild", search_.rebuild, "throw it away first");
  }

  TranscriptArguments& given_;
  SearchArguments& search_;
};

}  // namespace holdfast::cli
