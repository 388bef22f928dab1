import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runExampleAgent } from './run-agent.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';

/** Calls of its only tool by their arguments, text, or an error of the server. */
type Step = { readonly content: string } | { readonly run: readonly object[] } | { readonly status: number };

let model: ScriptedModel;
let script: (turn: number) => Step;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawrden-agent-'));
  model = await startScriptedModel((turn) => {
    const step = script(turn);
    return 'run' in step ? { calls: step.run.map(callOf) } : step;
  });
});
afterEach(async () => {
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function callOf(given: object) {
  return { name: 'run', arguments: 'raw' in given ? String(given.raw) : JSON.stringify(given) };
}

async function runAgent(says: typeof script, task = 'do it') {
  script = says;
  return await runExampleAgent(folder, { MODEL_URL: model.url }, task);
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
  expect([code, stdout, model.asked.length]).toEqual([0, 'The tests pass.\n', 6]);
  expect(await readFile(join(folder, 'sum.mjs'), 'utf8')).toBe(sum('+'));
  const told = model.asked
    .at(-1)!
    .messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content);
  expect(told.map((each) => each.split('\n', 1)[0])).toEqual([
    ...['exit code 0', 'exit code 0', 'exit code 1', 'exit code 0', 'exit code 0'],
  ]);
  expect(model.asked[0]).toMatchObject({
    model: 'scripted',
    messages: [{ role: 'system' }, { role: 'user' }],
  });
  expect(steps.map(({ type }) => type).filter((type) => type === 'call')).toHaveLength(5);
  // It has no key: a route adds one.
  expect(model.headers.filter((each) => 'authorization' in each || 'x-api-key' in each)).toEqual([]);
});

test('the breaker of turns: ten, and no eleventh question', async () => {
  const { code, stderr, steps } = await runAgent((turn) => ({
    run: [{ program: 'echo', args: [`${turn}`] }],
  }));
  expect([code, model.asked.length]).toEqual([3, 10]);
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
  expect([code, model.asked.length]).toEqual([3, 6]);
  expect(steps.at(-1)?.why).toContain('3 calls in a row failed');
});

test('what a program prints is bounded: its beginning and its end are told, and how much is left out', async () => {
  const loud = `process.stdout.write('begin' + 'x'.repeat(5_000_000) + 'the end')`;
  await runAgent((turn) =>
    turn === 1 ? { run: [{ program: process.execPath, args: ['-e', loud] }] } : { content: '' },
  );
  const told = model.asked[1]!.messages.at(-1)!.content;
  expect(told.length).toBeLessThan(9_000);
  expect(told).toMatch(/begin[\s\S]*\[4992012 bytes are left out\][\s\S]*the end/);
});

test('a model that is busy is asked once more; then the line says what it answered', async () => {
  const once = await runAgent((turn) => (turn === 1 ? { status: 503 } : { content: 'here' }));
  expect([once.code, once.stdout]).toEqual([0, 'here\n']);
  model.asked.length = 0;
  const never = await runAgent(() => ({ status: 503 }));
  expect([never.code, never.stderr, model.asked.length]).toEqual([
    1,
    'agent: the model answers 503: busy\n',
    2,
  ]);
});

test('a model that is not there yet, as a way out at the start of a container, is asked again', async () => {
  const { port } = new URL(model.url);
  await model[Symbol.asyncDispose]();
  const running = runAgent(() => ({ content: 'here' }));
  await sleep(1500);
  model = await startScriptedModel(() => ({ content: 'here' }), '127.0.0.1', Number(port));
  expect(await running).toMatchObject({ code: 0, stdout: 'here\n' });
});
