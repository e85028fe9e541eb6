// The tools over transcripts as a client sees them: the official TypeScript SDK over stdio, the real program, a home with real
// sessions. usage: node --import tests/npm/resolve.mjs transcripts_mcp.mjs HOLDFAST FIXTURE
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { command, commandArguments, finish, test } from '../harness.mjs';

const [fixture] = commandArguments;
const home = mkdtempSync(join(tmpdir(), 'holdfast-mcp-'));
process.once('exit', () => rmSync(home, { recursive: true, force: true }));
const claude = join(home, '.claude');
const project = join(home, 'project');
const old = Date.now() / 1000 - 3600;
const sid = short => `000000${short}-0000-4000-8000-0000000000${short}`;
const transcript = short => join(claude, 'projects/-home-dev-work-demo', `${sid(short)}.jsonl`);

function age(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), old, old);
}
cpSync(fixture, claude, { recursive: true });
mkdirSync(project);
age(claude);

const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(CLAUDE|CODEX|HOLDFAST_|XDG_|GITHUB_|GH_)/.test(name)));
const client = new Client({ name: 'transcripts', version: '1.0.0' }, { capabilities: {} });
const call = async (name, args = {}, meta) => {
  const result = await client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) }, CallToolResultSchema);
  assert.deepEqual(JSON.parse(result.content.at(-1).text), result.structuredContent);
  return { ...result.structuredContent, isError: result.isError ?? false };
};
const ok = async (...words) => {
  const result = await call(...words);
  assert.equal(result.isError, false, JSON.stringify(result));
  return result;
};
const fails = async (word, ...words) => {
  const result = await call(...words);
  assert.equal(result.isError, true, JSON.stringify(result));
  assert.equal(result.error, word, JSON.stringify(result));
  assert.ok(result.message);
  return result;
};
const has = (object, names) => { for (const name of names.split(' ')) assert.ok(name in object, name); };

test('connects', () => client.connect(new StdioClientTransport({ command, args: ['mcp', '--root', project], stderr: 'inherit',
  env: { ...environment, HOME: home }, cwd: home })));

test('offers the tools, by name and in order', async () => {
  const { tools } = await client.listTools();
  const names = tools.map(tool => tool.name).filter(name => name.includes('session') && !['session', 'create_session', 'end_session', 'autonomous_persistent_session'].includes(name));
  assert.deepEqual(names, ['save_current_session', 'restore_session', 'clone_session', 'delete_session', 'move_session',
    'session_lineage', 'get_session_info', 'save_session_to_gist', 'search_sessions', 'list_recent_sessions', 'get_session_detail']);
  const inputs = Object.fromEntries(tools.map(tool => [tool.name, tool.inputSchema]));
  assert.deepEqual(Object.keys(inputs.delete_session.properties).sort(),
    ['delete_cross_session_artifacts', 'dry_run', 'force', 'no_backup', 'session_id', 'source_project', 'terminate_running']);
  assert.equal(inputs.restore_session.properties.translate_paths.default, true);
  for (const tool of tools) if (names.includes(tool.name)) assert.equal(tool.inputSchema.additionalProperties, false, tool.name);
});

test('tells about a session', async () => {
  const info = await ok('get_session_info', { session_id: '000000a4' });
  has(info, 'session_id title custom_title project_path state files is_native has_lineage usage resume_command');
  assert.equal(info.session_id, sid('a4'));
  assert.equal(info.project_path, '/home/dev/work/demo');
});

test('words of errors are those of the exit codes', async () => {
  await fails('not_found', 'get_session_info', { session_id: 'ffffffff' });
  await fails('ambiguous', 'get_session_info', { session_id: '000000a' });
  await fails('usage', 'get_session_info', { session_id: 'no id' });
  await fails('usage', 'restore_session', { archive_path: '-' });
  await fails('refused', 'delete_session', { session_id: sid('a1') });
  await fails('not_found', 'restore_session', { archive_path: join(home, 'none.json') });
  writeFileSync(join(home, 'bad.json'), '{"version":"9.1"}');
  await fails('bad_archive', 'restore_session', { archive_path: join(home, 'bad.json') });
  await fails('network', 'save_session_to_gist', { session_id: sid('a1') });
  assert.match((await fails('usage', 'clone_session', { sesion: 'x' })).message, /sesion/);
  assert.match((await fails('usage', 'delete_session', { session_id: 5 })).message, /session_id/);
  assert.match((await fails('usage', 'delete_session', { session_id: sid('a1'), force: 'yes' })).message, /force/);
  await fails('usage', 'delete_session', {});
});

test('errors and warnings name arguments, not options of the command line', async () => {
  const refused = await fails('refused', 'delete_session', { session_id: sid('a1') });
  assert.match(refused.message, /needs force/);
  assert.doesNotMatch(refused.message + refused.hint, /--/);
  const trial = await ok('delete_session', { session_id: sid('a1'), dry_run: true });
  assert.match(trial.warnings.join(), /needs force/);
  assert.doesNotMatch(trial.warnings.join(), /--/);
});

test('the current session is the one whose transcript holds the tool use', async () => {
  // Sessions of this very project are meant: the same text lies in another one, too.
  const text = readFileSync(transcript('a2'), 'utf8').replaceAll(sid('a2'), sid('c2'));
  const folder = join(claude, 'projects', project.replace(/[^A-Za-z0-9]/g, '-'));
  mkdirSync(folder);
  writeFileSync(join(folder, `${sid('c2')}.jsonl`), text);
  age(folder);
  const line = text.split('\n').find(each => each.includes('"type":"tool_use"'));
  const id = JSON.parse(line).message.content.find(block => block.type === 'tool_use').id;
  const meta = { 'claudecode/toolUseId': id };
  assert.equal((await ok('get_session_info', {}, meta)).session_id, sid('c2'));
  const saved = await ok('save_current_session', { output_path: 'kept.json' }, meta);
  has(saved, 'file_path session_id format size_mb archived_at session_records agent_records file_count files custom_title');
  assert.equal(saved.file_path, join(project, 'kept.json'));
  assert.equal(JSON.parse(readFileSync(saved.file_path)).session_id, sid('c2'));
  await fails('refused', 'save_current_session', { output_path: 'kept.json' }, meta);
  const unnamed = await ok('save_current_session', {}, meta);
  assert.equal(statSync(unnamed.file_path).mode & 0o777, 0o600);
  await fails('refused', 'delete_session', { session_id: sid('c2'), force: true }, meta);
  await fails('refused', 'move_session', { session_id: sid('c2'), force: true, target_project: home }, meta);
  await fails('not_found', 'get_session_info', {});
});

test('the lineage of a clone of a clone', async () => {
  const before = createHash('sha256').update(readFileSync(transcript('a5'))).digest('hex');
  const first = await ok('clone_session', { source_session_id: sid('a5') });
  has(first, 'new_session_id original_session_id restored_at project_path was_in_place main_session_file agent_files '
    + 'main_records_restored plan_files_restored resume_command paths_translated slug_mappings_applied custom_title');
  const second = await ok('clone_session', { source_session_id: first.new_session_id });
  const tree = await ok('session_lineage', { session_id: second.new_session_id });
  assert.equal(tree.root_session_id, sid('a5'));
  assert.equal(tree.nodes[second.new_session_id].parent_id, first.new_session_id);
  assert.equal(createHash('sha256').update(readFileSync(transcript('a5'))).digest('hex'), before);
  assert.deepEqual((await ok('session_lineage', { session_id: sid('a1') })).nodes, {});
});

test('reports progress that only grows', async () => {
  const seen = [];
  await client.callTool({ name: 'clone_session', arguments: { source_session_id: sid('a6') } }, CallToolResultSchema,
    { onprogress: each => seen.push(each.progress) });
  assert.ok(seen.length > 0);
  assert.deepEqual(seen, [...new Set(seen)].sort((a, b) => a - b));
});

test('delete, restore, move', async () => {
  const gone = await ok('delete_session', { session_id: sid('a6'), force: true });
  has(gone, 'session_id was_dry_run success error_message backup_path files_deleted size_freed_bytes deleted_files');
  assert.ok(!existsSync(transcript('a6')));
  const kept = await ok('session', { operation: 'get', sessionId: sid('a6') });
  assert.equal(kept.session.status, 'kept');
  const copy = await ok('restore_session', { archive_path: gone.backup_path });
  assert.equal(copy.project_path, project);
  assert.equal(copy.original_session_id, sid('a6'));
  age(claude);
  const other = join(home, 'other');
  mkdirSync(other);
  const moved = await ok('move_session', { session_id: copy.new_session_id, target_project: other });
  has(moved, 'session_id source_project target_project files_moved files_deleted backup_path was_running warnings');
  assert.deepEqual([moved.source_project, moved.target_project], [project, other]);
});

test('what only the guard has is described like everything else', async () => {
  const kept = spawnSync(command, ['guard'], { env: { ...environment, HOME: home }, encoding: 'utf8' });
  assert.equal(kept.status, 0, kept.stderr);
  const there = await ok('get_session_info', { session_id: sid('a2') });
  const detail = await ok('get_session_detail', { session_id: sid('a2') });
  rmSync(transcript('a2'));
  const gone = await ok('get_session_info', { session_id: sid('a2') });
  assert.equal(gone.state, 'kept');
  assert.equal(gone.session_file, `guard:${sid('a2')}`);
  assert.equal(gone.resume_command, null);
  assert.equal(gone.restore_command, `holdfast restore --in-place ${sid('a2')}`);
  assert.deepEqual([gone.title, gone.project_path, gone.usage], [there.title, there.project_path, there.usage]);
  const read = await ok('get_session_detail', { session_id: sid('a2') });
  assert.equal(read.status, 'kept');
  assert.equal(read.resume_command, gone.restore_command);
  assert.deepEqual([read.opening, read.last_messages], [detail.opening, detail.last_messages]);
  const got = await ok('session', { operation: 'get', sessionId: sid('a2') });
  assert.equal(got.session.status, 'kept');
  assert.equal(got.transcript.state, 'kept');
  assert.equal((await ok('session', { operation: 'verify', sessionId: sid('a2') })).ok, true);
  await fails('not_found', 'get_session_info', { session_id: '99999999' });
});

test('the session tool lists transcripts when asked for them', async () => {
  age(claude);
  const none = await ok('session', { operation: 'list', allRoots: true });
  assert.equal(none.total, 0);
  const here = await ok('session', { operation: 'list', type: 'transcript' });
  assert.ok(here.sessions.every(each => each.type === 'transcript'));
  const all = await ok('session', { operation: 'list', type: 'transcripts', allRoots: true, limit: 3 });
  assert.equal(all.count, 3);
  assert.equal(all.hasMore, true);
  assert.ok(all.total > 6);
  const everything = await ok('session', { operation: 'list', type: 'all', allRoots: true, limit: 100 });
  assert.equal(everything.total, all.total);
  assert.deepEqual([...new Set(everything.sessions.map(each => each.status))].sort(), ['idle', 'kept']);
  const one = await ok('session', { operation: 'get', sessionId: sid('a3') });
  assert.equal(one.session.status, 'idle');
  assert.equal(one.transcript.session_id, sid('a3'));
  const refused = await fails('refused', 'session', { operation: 'delete', sessionId: sid('a3') });
  assert.match(refused.hint, /delete_session/);
  const lacks = await fails('unsupported_operation', 'session', { operation: 'pin', sessionId: sid('a3') });
  assert.match(lacks.hint, /verify/);
});

test('finds past sessions, and says how to resume them', async () => {
  const found = await ok('search_sessions', { query: 'subagent reported' });
  assert.deepEqual(found.sessions.map(session => session.session_id), [sid('a4')]);
  has(found.sessions[0], 'kind product title project updated_at resume_command matches');
  assert.match(found.sessions[0].matches[0].snippet, /The subagent reported/);
  assert.equal((await ok('search_sessions', { query: 'subagent', current_session_id: sid('a4') })).count, 0);
  assert.equal((await ok('search_sessions', { query: 'hello lab', project: '/home/dev/work/second' })).count, 1);
  assert.equal((await ok('search_sessions', { query: 'hello', after_date: '2030-01-01' })).count, 0);
  await fails('usage', 'search_sessions', { query: 'x', after_date: 'yesterday-ish' });
  await fails('usage', 'search_sessions', { query: '' });
  await fails('usage', 'search_sessions', { query: 'x', colour: 'red' });
});

test('lists recent sessions', async () => {
  const recent = await ok('list_recent_sessions', { limit: 2 });
  assert.equal(recent.count, 2);
  assert.equal(recent.hasMore, true);
  has(recent.sessions[0], 'session_id title project updated_at resume_command');
});

test('tells how a session began and ended, and where it said something', async () => {
  const detail = await ok('get_session_detail', { session_id: '000000a3', search_query: 'second' });
  assert.match(detail.opening[0].text, /Keep a task list/);
  assert.match(detail.last_messages.at(-1).text, /Second answer from the lab/);
  assert.ok(detail.matches.length >= 2);
  assert.ok(detail.matches.every(match => match.line > 0));
  await fails('not_found', 'get_session_detail', { session_id: 'ffffffff' });
});

test('ends when the client leaves', () => client.close());

await finish();
