// The commands of servers, of the store they use and of those who may use them, as rows.

#include "cli/arguments/shared_parameters.h"
#include "cli/transcripts/transcript_work.h"

namespace holdfast::cli {

Result<void> run_mcp(Context&), run_serve(Context&), verify_store(Context&), print_login(Context&), print_completion(Context&),
    print_reference(Context&);
std::string store_info_text(const JsonObject&, const Context&), copied_store_text(const JsonObject&, const Context&),
    store_backup_text(const JsonObject&, const Context&), restored_store_text(const JsonObject&, const Context&),
    salvaged_store_text(const JsonObject&, const Context&), added_token_text(const JsonObject&, const Context&),
    tokens_text(const JsonObject&, const Context&), revoked_token_text(const JsonObject&, const Context&);

namespace rows {

constexpr Command kServingRows[] = {
    {"mcp",
     "MCP server on standard input and output",
     run_mcp,
     {},
     "--tools reasoning,documents --documents ./handbook  some of it",
     "root tools documents.roots documents.read_only"},
    {"serve",
     "MCP at /mcp and pages at /, over HTTP",
     run_serve,
     {},
     "  on this machine; it prints an address for the browser\n--port 8080 --no-auth  without a token, for programs of yours",
     "host port no_auth root tools documents.roots documents.read_only"}};

constexpr Parameter kLoginParameters[] = {
    {.name = "name", .help = "the token whose sessions are shown", .fallback = "local", .option = "--for"}};
constexpr Parameter kCompletionParameters[] = {
    {.name = "shell", .help = "bash, zsh or fish", .words = "bash|zsh|fish", .required = true, .option = "SHELL"}};
constexpr Parameter kReferenceParameters[] = {
    {.name = "page", .help = "which page", .words = "commands|tools|surfaces", .required = true, .option = "PAGE"}};

constexpr Command kStoreRows[] = {
    {"store", "look after the store"},
    of_operation("store info", reported<store_info_text>, "--store sqlite:/tmp/copy.db  of another store"),
    of_operation("store verify", verify_store, "--json  each that is damaged, by its id"),
    of_operation("store copy", reported<copied_store_text>,
                 "sqlite:./store.db postgres://holdfast@db/holdfast  from a laptop to the team's database"),
    of_operation("store backup", reported<store_backup_text>, "/backup/holdfast-monday.db  from cron"),
    of_operation("store restore", reported<restored_store_text>,
                 "/backup/holdfast-monday.db --replace  what was there is put aside"),
    of_operation("store salvage", reported<salvaged_store_text>, "sqlite:./store.db ./saved.db  it says what is lost"),
    {"token", "who may use the HTTP server"},
    of_operation("token add", reported<added_token_text>,
                 "ann  her own sessions\nci --scope read --expires 30d  looks, changes nothing, for a month"),
    of_operation("token list", reported<tokens_text>, "--json  for a script"),
    of_operation("token revoke", reported<revoked_token_text>, "ci  servers refuse it within seconds"),
    {"login", "print a fresh address that logs a browser in", print_login, kLoginParameters,
     "--for ann  to see the sessions of that token", "host port"},
    {"completion", "print a completion script for a shell", print_completion, kCompletionParameters,
     "bash > ~/.holdfast-completion  to be sourced by ~/.bashrc"},
    {.path = "reference",
     .summary = "print a page of docs/reference",
     .run = print_reference,
     .parameters = kReferenceParameters,
     .examples = "commands > docs/reference/commands.md  after a row has changed\n"
                 "tools > docs/reference/tools.md  after a tool has changed",
     .hidden = true}};

}  // namespace rows

constexpr CommandFamily kServing{"Servers", rows::kServingRows};
constexpr CommandFamily kStoreCommands{"The store, tokens and the shell", rows::kStoreRows};

}  // namespace holdfast::cli
