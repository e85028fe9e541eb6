// A server process to test against, and a runner for named tests. The command of the server under test is the
// command line of the script: node --import tests/npm/resolve.mjs sdk_v1.mjs SERVER [ARGUMENTS...]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export const command = process.argv[2];
export const commandArguments = process.argv.slice(3);

const kStart = 20_000; // ms; a sanitizer build on a busy machine
const kTest = 60_000; // ms; longer means hung, no test waits on purpose

const tests = [];
export const test = (name, body) => tests.push({ name, body });

/** Rejects when `promise` takes longer than a working server could. */
export function within(promise, what, ms = kTest) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`${what}: nothing after ${ms} ms`)), ms); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Runs the tests one after another; the last line is what scripts/count-results reads. */
export async function finish() {
  let passed = 0;
  let failed = 0;
  for (const { name, body } of tests) {
    const began = performance.now();
    try {
      await within(Promise.resolve().then(body), name);
      passed += 1;
      console.log(`ok     ${name} (${Math.round(performance.now() - began)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}\n${error?.stack ?? error}`);
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed || !passed ? 1 : 0);
}

export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

function accepts(port) {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => { socket.destroy(); resolve(true); });
    socket.once('error', () => resolve(false));
  });
}

/** The server over HTTP, once it accepts. `stop` asks it to end, `kill` does not ask. */
export async function startHttp({ port, extra = [] } = {}) {
  port ??= await freePort();
  const child = spawn(command, [...commandArguments, '--port', String(port), ...extra], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL')); // whatever happens to the test
  const gone = once(child, 'exit');
  const end = async signal => { child.kill(signal); await within(gone, `server after ${signal}`, kStart); };
  for (const began = performance.now(); !(await accepts(port)); await new Promise(r => setTimeout(r, 10))) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode} before it accepted`);
    if (performance.now() - began > kStart) throw new Error('the server does not accept');
  }
  return { port, url: new URL(`http://127.0.0.1:${port}/mcp`), pid: child.pid, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

export const stdioParameters = { command, args: [...commandArguments, '--stdio'], stderr: 'inherit' };

/** Collects values that arrive in callbacks; `reached(n)` resolves with the first n. */
export function collector() {
  const values = [];
  const waiting = [];
  return {
    values,
    push(value) {
      values.push(value);
      for (const waiter of waiting) if (values.length >= waiter.count) waiter.resolve(values.slice(0, waiter.count));
    },
    reached: (count, what) => within(values.length >= count ? Promise.resolve(values.slice(0, count))
      : new Promise(resolve => waiting.push({ count, resolve })), what)
  };
}
