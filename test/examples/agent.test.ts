import { spawn } from 'node:child_process';
import { once as onceOf } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

type Says = { readonly content: string } | { readonly run: readonly object[] } | { readonly status: number };

/** Speaks the chat completions of OpenAI; what it says is a script. */
let model: Server;
let asked: Asked[];
let headers: object[];
let script: (turn: number) => Says;
let folder: string;

beforeEach(async () => {
  [asked, headers] = [[], []];
  folder = await mkdtemp(join(tmpdir(), 'clawrden-agent-'));
  model = createServer((request, response) => void answer(request, response));
  model.listen(0, '127.0.0.1');
  await onceOf(model, 'listening');
});
afterEach(async () => {
  model.closeAllConnections();
  model.close();
  await rm(folder, { recursive: true });
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  headers.push(request.headers);
  asked.push((await json(request)) as Asked);
  const says = script(asked.length);
  if ('status' in says) return void response.writeHead(says.status).end('busy\nand more');
  const message = 'content' in says ? says : { content: null, tool_calls: says.run.map(callOf) };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', ...message } }] }));
}

function callOf(given: object, at: number): object {
  const spelled = 'raw' in given ? String(given.raw) : JSON.stringify(given);
  return { id: `call-${at}`, type: 'function', function: { name: 'run', arguments: spelled } };
}

async function runAgent(says: typeof script, task = 'do it') {
  script = says;
  const { port } = model.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  const log = join(folder, 'log.jsonl');
  const child = spawn(process.execPath, [join(packageRoot(), 'examples/agent/agent.ts'), task], {
    cwd: folder,
    env: { PATH: process.env['PATH'], MODEL_URL: url, MODEL: 'scripted', AGENT_LOG: log },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const [code] = (await onceOf(child, 'close')) as [number | null];
  const lines = (await readFile(log, 'utf8')).trim().split('\n');
  const steps = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly why?: string });
  return { code, stdout: await stdout, stderr: await stderr, steps };
}

const failing = { program: 'node', args: ['--test', 'sum.test.mjs'] };
const sum = (sign: string) => `export const sum = (a, b) => a ${sign} b;\n`;
const check = `import assert from 'node:assert';
import test from 'node:test';
import { sum } from './sum.mjs';
test('two and two', () => assert.equal(sum(2, 2), 4));
test('one and two', () => assert.equal(sum(1, 2), 3));
`;

test('a task is done: a file is edited, tests fail, it is edited again, tests pass, and the model is told each time', async () => {
  const calls = [
    { program: 'tee', args: ['sum.mjs'], stdin: sum('*') },
    { program: 'tee', args: ['sum.test.mjs'], stdin: check },
    failing,
    { program: 'tee', args: ['sum.mjs'], stdin: sum('+') },
    failing,
  ];
  const { code, stdout, steps } = await runAgent((turn) => {
    const call = calls[turn - 1];
    return call === undefined ? { content: 'The tests pass.' } : { run: [call] };
  }, 'Make the tests pass');
  expect([code, stdout, asked.length]).toEqual([0, 'The tests pass.\n', 6]);
  expect(await readFile(join(folder, 'sum.mjs'), 'utf8')).toBe(sum('+'));
  const told = asked
    .at(-1)!
    .messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content);
  expect(told.map((each) => each.split('\n', 1)[0])).toEqual([
    ...['exit code 0', 'exit code 0', 'exit code 1', 'exit code 0', 'exit code 0'],
  ]);
  expect(asked[0]).toMatchObject({ model: 'scripted', messages: [{ role: 'system' }, { role: 'user' }] });
  expect(steps.map(({ type }) => type).filter((type) => type === 'call')).toHaveLength(5);
  // It has no key: a route adds one.
  expect(headers.filter((each) => 'authorization' in each || 'x-api-key' in each)).toEqual([]);
});

test('the breaker of turns: ten, and no eleventh question', async () => {
  const { code, stderr, steps } = await runAgent((turn) => ({
    run: [{ program: 'echo', args: [`${turn}`] }],
  }));
  expect([code, asked.length]).toEqual([3, 10]);
  expect(stderr).toBe('agent: stopped: 10 turns without an end\n');
  expect(steps.at(-1)).toMatchObject({ type: 'stopped', why: '10 turns without an end' });
});

test('the breaker of repeats: the same call is not made a second time in a row', async () => {
  const add = { program: 'sh', args: ['-c', 'echo once >> done'] };
  const { code, steps } = await runAgent(() => ({ run: [add] }));
  expect(code).toBe(3);
  expect(steps.at(-1)?.why).toContain('the same call 2 times in a row: {"program":"sh"');
  expect(await readFile(join(folder, 'done'), 'utf8')).toBe('once\n');
});

test('the breaker of errors: three in a row, whatever kind; one that works begins the count anew', async () => {
  const wrong = [
    { program: 'false' },
    { program: 'no-such-program' },
    { program: 'true' },
    { raw: 'not JSON' },
    { program: 'sh', args: 'no list' },
    { program: 'sh', args: ['-c', 'echo clawrden: denied by rule no-rm >&2; exit 1'] },
  ];
  const { code, steps } = await runAgent((turn) => ({ run: [wrong[turn - 1]!] }));
  expect([code, asked.length]).toEqual([3, 6]);
  expect(steps.at(-1)?.why).toContain('3 calls in a row failed');
});

test('what a program prints is bounded: its beginning and its end are told, and how much is left out', async () => {
  const loud = `process.stdout.write('begin' + 'x'.repeat(5_000_000) + 'the end')`;
  await runAgent((turn) =>
    turn === 1 ? { run: [{ program: process.execPath, args: ['-e', loud] }] } : { content: '' },
  );
  const told = asked[1]!.messages.at(-1)!.content;
  expect(told.length).toBeLessThan(9_000);
  expect(told).toMatch(/begin[\s\S]*\[4992012 bytes are left out\][\s\S]*the end/);
});

test('a model that is busy is asked once more; then the line says what it answered', async () => {
  const once = await runAgent((turn) => (turn === 1 ? { status: 503 } : { content: 'here' }));
  expect([once.code, once.stdout]).toEqual([0, 'here\n']);
  asked = [];
  const never = await runAgent(() => ({ status: 503 }));
  expect([never.code, never.stderr, asked.length]).toEqual([1, 'agent: the model answers 503: busy\n', 2]);
});
