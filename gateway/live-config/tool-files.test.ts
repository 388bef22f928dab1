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
import { openPolicyFile, type PolicyFile } from './policy-file.ts';

const policyText = (more = '') => `version: 1
tools: { ls: { strategy: mirror }${more} }
rules: [{ name: all, tools: [ls, gh, hub], action: allow }]
complete: true
`;
const toolText = (name: string, memory = '1g', body = 'How.') =>
  `---\nname: ${name}\ndescription: a tool\nstrategy: ghost\nimage: x\nmemory: ${memory}\n---\n${body}\n`;

let dir: string;
let folder: string;
let file: string;
let watching = new AbortController();
let refused: string[];
let recorded: string[];
let isUnwritable: boolean;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-tool-files-'));
  [file, folder] = [join(dir, 'policy.yaml'), join(dir, 'tools')];
  mkdirSync(folder);
  writeFileSync(file, policyText());
  save('gh');
  [refused, recorded, isUnwritable] = [[], [], false];
  watching = new AbortController();
});
afterEach(() => {
  watching.abort();
  rmSync(dir, { recursive: true });
});

function save(name: string, text = toolText(name)): void {
  writeFileSync(join(folder, `.${name}.new`), text);
  renameSync(join(folder, `.${name}.new`), join(folder, `${name}.md`));
}

function start(): PolicyFile {
  const policies = openPolicyFile(file, folder);
  const events = {
    beforeChange: async (_policy: object, change: string) => {
      if (isUnwritable) throw new Error('disk full');
      recorded.push(change);
    },
    changed: () => {},
    refused: (problem: string) => void refused.push(problem),
    faults: { report: (_where: string, error: unknown) => void refused.push(String(error)) },
  };
  policies.follow(events, watching.signal);
  return policies;
}

const soon = { timeout: 10_000, interval: 20 };
const memoryOf = (policies: PolicyFile, name = 'gh') => {
  const facts = { agent: 'a', tool: name, args: [], uid: 1, gid: 1, cwd: '/app' };
  return (decide(policies.current(), facts).tool?.memoryBytes ?? 0) / 1024 ** 3;
};

test('a tool file that is saved counts, one that is changed counts as it is now, one that is removed no more', async () => {
  const policies = start();
  expect([memoryOf(policies), memoryOf(policies, 'hub')]).toEqual([1, 0]);
  save('hub', toolText('hub', '2g'));
  await vi.waitFor(() => expect(memoryOf(policies, 'hub')).toBe(2), soon);
  save('hub', toolText('hub', '3g'));
  await vi.waitFor(() => expect(memoryOf(policies, 'hub')).toBe(3), soon);
  rmSync(join(folder, 'hub.md'));
  await vi.waitFor(() => expect(memoryOf(policies, 'hub')).toBe(0), soon);
  expect(memoryOf(policies)).toBe(1);
  expect(recorded).toEqual(['tool files added hub', 'tool files changed hub', 'tool files removed hub']);
  expect(refused).toEqual([]);
});

test('P8 a faulty change keeps the last good tool file, is told once with file, line and key, and the others go on', async () => {
  const policies = start();
  save('gh', toolText('gh', '8q'));
  await vi.waitFor(() => expect(refused).toHaveLength(1), soon);
  expect(refused[0]).toMatch(/tools\/gh\.md:6: memory: must be/);
  expect(policies.toolProblems()).toEqual(refused);
  save('hub', toolText('hub', '2g'));
  await vi.waitFor(() => expect(memoryOf(policies, 'hub')).toBe(2), soon);
  expect([memoryOf(policies), refused.length, policies.problem()]).toEqual([1, 1, '']);
  save('gh', toolText('gh', '4g'));
  await vi.waitFor(() => expect(memoryOf(policies)).toBe(4), soon);
  expect(policies.toolProblems()).toEqual([]);
});

test('P8 at a start a faulty tool file is absent and told', async () => {
  save('hub', toolText('hub').replace('image', 'imgae'));
  const policies = start();
  expect([memoryOf(policies), memoryOf(policies, 'hub')]).toEqual([1, 0]);
  expect(refused).toEqual([expect.stringContaining('tools/hub.md:5: imgae: is not a known key')]);
});

test('a folder that cannot be read ends a start, and later changes nothing', async () => {
  expect(() => openPolicyFile(file, join(dir, 'none'))).toThrow('there is no such folder');
  const policies = start();
  const away = join(dir, 'away');
  renameSync(folder, away);
  symlinkSync(folder, folder);
  await vi.waitFor(() => expect(policies.toolProblems()).toEqual([expect.stringContaining('ELOOP')]), soon);
  // As long as it takes to lose a tool.
  await sleep(1500);
  expect([memoryOf(policies), refused.length]).toEqual([1, 1]);
  rmSync(folder);
  rmSync(join(away, 'gh.md'));
  renameSync(away, folder);
  await vi.waitFor(() => expect(policies.toolProblems()).toEqual([]), soon);
  await vi.waitFor(() => expect(memoryOf(policies)).toBe(0), soon);
});

test('A-225 P8 the tools of a folder that is gone are gone, which is told, until it is there again', async () => {
  const policies = start();
  const away = join(dir, 'away');
  for (const put of [() => {}, () => writeFileSync(folder, 'no folder')]) {
    renameSync(folder, away);
    put();
    await vi.waitFor(() => expect(memoryOf(policies)).toBe(0), soon);
    expect(policies.toolProblems()).toEqual([expect.stringMatching(/tools: cannot be read: /)]);
    rmSync(folder, { force: true });
    renameSync(away, folder);
    await vi.waitFor(() => expect(memoryOf(policies)).toBe(1), soon);
    expect(policies.toolProblems()).toEqual([]);
  }
  const [gone, back] = ['tool files removed gh', 'tool files added gh'];
  expect(recorded).toEqual([gone, back, gone, back]);
  expect(refused).toHaveLength(2);
});

test('policy.yaml comes first: what it defines makes a tool file faulty, until it no longer does', async () => {
  const policies = start();
  writeFileSync(file, policyText(', gh: { strategy: mirror }'));
  await vi.waitFor(() => expect(policies.current().tools.get('gh')?.strategy).toBe('mirror'), soon);
  expect(policies.toolProblems()).toEqual([
    expect.stringMatching(/gh\.md:2: name: .*policy\.yaml defines gh/),
  ]);
  writeFileSync(file, policyText());
  await vi.waitFor(() => expect(policies.current().tools.get('gh')?.strategy).toBe('ghost'), soon);
  expect(policies.toolProblems()).toEqual([]);
});

test('a new documentation counts, and is no other policy', async () => {
  const policies = start();
  const { hash } = policies.current();
  save('gh', toolText('gh', '1g', 'Another text.'));
  await vi.waitFor(
    () => expect(policies.current().pages?.get('gh')?.documentation).toBe('Another text.'),
    soon,
  );
  expect([policies.current().hash, recorded]).toEqual([hash, []]);
});

test('P25 a tool that cannot be recorded is not in force, and is tried again', async () => {
  isUnwritable = true;
  const policies = start();
  save('hub', toolText('hub', '2g'));
  await vi.waitFor(
    () => expect(policies.toolProblems()).toEqual([expect.stringContaining('disk full')]),
    soon,
  );
  expect(memoryOf(policies, 'hub')).toBe(0);
  isUnwritable = false;
  await vi.waitFor(() => expect(memoryOf(policies, 'hub')).toBe(2), soon);
  expect(policies.toolProblems()).toEqual([]);
});

test('P8 a tool file that is written in pieces never counts in part', async () => {
  const policies = start();
  const whole = toolText('hub', '2g');
  for (let index = 0; index < 100; index += 1) {
    writeFileSync(join(folder, 'hub.md'), '');
    appendFileSync(join(folder, 'hub.md'), whole.slice(0, (index * 7919) % whole.length));
    if (index % 20 === 0) await sleep(550);
    expect([0, 2]).toContain(memoryOf(policies, 'hub'));
  }
  writeFileSync(join(folder, 'hub.md'), whole);
  await vi.waitFor(() => expect(memoryOf(policies, 'hub')).toBe(2), soon);
});

test('with two hundred tool files a change of one is found', async () => {
  for (let at = 0; at < 199; at += 1) save(`tool-${at}`);
  const policies = start();
  expect(policies.current().tools.size).toBe(201);
  save('tool-7', toolText('tool-7', '5g'));
  await vi.waitFor(
    () => expect(policies.current().tools.get('tool-7')?.memoryBytes).toBe(5 * 1024 ** 3),
    soon,
  );
  save('hub');
  await vi.waitFor(() => expect(policies.toolProblems()).toHaveLength(1), soon);
});
