import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { decide } from '../../src/policy/rules/decide.ts';
import { openPolicyFile, type PolicyFile, type PolicyFileEvents } from './policy-file.ts';

const text = (rule: string) => `version: 1
tools: { git: { strategy: mirror }, docker: { strategy: mirror } }
rules:
  - { name: git, tools: [git], action: ${rule} }
  - { name: all, tools: [docker, git], action: allow }
  - { name: never, tools: [docker], action: deny }
complete: true
`;

let dir: string;
let file: string;
let watching = new AbortController();
let refused: string[];
let changed: string[];
let faults: string[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-policy-file-'));
  file = join(dir, 'policy.yaml');
  writeFileSync(file, text('allow'));
  [refused, changed, faults] = [[], [], []];
  watching = new AbortController();
});
afterEach(() => {
  watching.abort();
  rmSync(dir, { recursive: true });
});

function start(path = file, beforeChange?: PolicyFileEvents['beforeChange']): PolicyFile {
  const opened = openPolicyFile(path);
  follow(opened, beforeChange);
  return opened;
}

function follow(
  policies: PolicyFile,
  beforeChange: PolicyFileEvents['beforeChange'] = () => Promise.resolve(),
  then: () => void = () => {},
): void {
  const events: PolicyFileEvents = {
    beforeChange,
    changed: ({ hash }) => {
      changed.push(hash);
      then();
    },
    refused: (problem) => void refused.push(problem),
    faults: { report: (where, error) => void faults.push(`${where}: ${String(error)}`) },
  };
  policies.follow(events, watching.signal);
}

const actionOf = (policies: PolicyFile, tool = 'git') =>
  decide(policies.current(), { agent: 'a', tool, args: [], uid: 1, gid: 1, cwd: '/app' }).action;
const soon = { timeout: 3000, interval: 20 };

test('an atomic rename and a write in place both come into force', async () => {
  const policies = start();
  writeFileSync(`${file}.new`, text('ask'));
  renameSync(`${file}.new`, file);
  await vi.waitFor(() => expect(actionOf(policies)).toBe('ask'), soon);
  writeFileSync(file, text('deny'));
  await vi.waitFor(() => expect(actionOf(policies)).toBe('deny'), soon);
  expect([changed.length, refused]).toEqual([2, []]);
});

test('what changed between the load and the watch comes into force', async () => {
  const policies = openPolicyFile(file);
  writeFileSync(file, text('deny'));
  // Longer than the watch needs to see a change and wait until it settles: without a watch nothing happens.
  await sleep(600);
  expect(actionOf(policies)).toBe('allow');
  follow(policies);
  await vi.waitFor(() => expect(actionOf(policies)).toBe('deny'), soon);
});

test('a fault of what follows a change leaves the policy followed', async () => {
  const policies = openPolicyFile(file);
  follow(policies, undefined, () => {
    throw new Error('not built yet');
  });
  writeFileSync(file, text('ask'));
  await vi.waitFor(() => expect(faults).toEqual([expect.stringContaining('not built yet')]), soon);
  writeFileSync(file, text('deny'));
  await vi.waitFor(() => expect(actionOf(policies)).toBe('deny'), soon);
});

test('a folder that is swapped by its link comes into force', async () => {
  for (const [name, rule] of [
    ['one', 'allow'],
    ['two', 'deny'],
  ] as const) {
    mkdirSync(join(dir, name));
    writeFileSync(join(dir, name, 'policy.yaml'), text(rule));
  }
  symlinkSync('one', join(dir, 'current'));
  const policies = start(join(dir, 'current/policy.yaml'));
  symlinkSync('two', join(dir, 'next'));
  renameSync(join(dir, 'next'), join(dir, 'current'));
  await vi.waitFor(() => expect(actionOf(policies)).toBe('deny'), soon);
});

const deep = `version: 1\nrules: ${'['.repeat(50_000)}`;
const aliases = Array.from({ length: 9 }, (_, n) => `a${n}: &a${n} [${`*a${n - 1},`.repeat(9)}]`).slice(1);
test.each([
  ['broken YAML', 'version: 1\nrules: [\n'],
  ['a duplicate key', text('deny').replace('tools:', 'default: deny\ndefault: deny\ntools:')],
  ['an unknown key', text('deny').replace('rules:', 'rulez:')],
  ['default: no', text('deny').replace('tools:', 'default: no\ntools:')],
  ['action: alow', text('alow')],
  ['timeout: -1', text('deny').replace('tools:', 'timeout: -1\ntools:')],
  ['two documents', `${text('deny')}---\n${text('deny')}`],
  ['an unknown tag', text('deny').replace('1\n', '!x 1\n')],
  ['an alias bomb', `a0: &a0 [x]\n${aliases.join('\n')}\n${text('deny')}`],
  ['5 MB', `#${'x'.repeat(5 * 1024 ** 2)}\n${text('deny')}`],
  ['50 000 levels', deep],
  ['no end mark', text('deny').replace('complete: true\n', '')],
  ['nothing', ''],
])('A-37 P8 %s: the last good policy stays, and it is told once', async (_, broken) => {
  const policies = start();
  const before = policies.current();
  let longest = 0;
  let last = performance.now();
  const beat = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  writeFileSync(file, broken);
  await vi.waitFor(() => expect(policies.problem()).not.toBe(''), soon);
  await new Promise((resolve) => setTimeout(resolve, 600));
  clearInterval(beat);
  expect(policies.current()).toBe(before);
  expect(refused).toEqual([policies.problem()]);
  expect(longest).toBeLessThan(1000);
  writeFileSync(file, text('allow'));
  await vi.waitFor(() => expect(policies.problem()).toBe(''), soon);
});

test('P8 a file that is gone, or is a folder, leaves the last good policy', async () => {
  const policies = start();
  rmSync(file);
  await vi.waitFor(() => expect(policies.problem()).toContain('there is no such file'), soon);
  mkdirSync(file);
  await vi.waitFor(() => expect(policies.problem()).toContain('not a regular file'), soon);
  expect(actionOf(policies)).toBe('allow');
});

test('A-38 no beginning of a policy ever lets more through', async () => {
  const policies = start();
  const whole = text('allow');
  for (let index = 0; index < 300; index += 1) {
    const cut = whole.slice(0, (index * 7919) % whole.length);
    writeFileSync(file, '');
    appendFileSync(file, cut);
    if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 550));
    expect(actionOf(policies, 'docker')).toBe('deny');
  }
  expect(changed).toEqual([]);
});

test('P25 what cannot be recorded does not come into force, and is tried again', async () => {
  let fail = true;
  const policies = start(file, () => (fail ? Promise.reject(new Error('disk full')) : Promise.resolve()));
  writeFileSync(file, text('deny'));
  await vi.waitFor(() => expect(policies.problem()).toContain('disk full'), soon);
  expect(actionOf(policies)).toBe('allow');
  fail = false;
  await vi.waitFor(() => expect(actionOf(policies)).toBe('deny'), soon);
  expect(policies.problem()).toBe('');
});
