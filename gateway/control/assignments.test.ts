import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import { openPolicyFile, type PolicyFile } from '../live-config/policy-file.ts';
import { allAgents, type Principal } from '../ports/principal.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { type Assignments, openAssignments } from './assignments.ts';
import { idleAssignments } from './idle-assignments.ts';

const ann: Principal = { kind: 'person', name: 'ann', role: 'admin', scope: allAgents };
const text = `version: 1
tools: { git: { strategy: mirror }, sh: { strategy: mirror }, ls: { strategy: mirror } }
rules: [{ name: no-push, tools: [git], args: [push, "**"], action: deny }]
complete: true
`;
const agentOf = (name: string): [string, AgentConfig] => [
  name,
  { ...{ name, relay: 'r', labels: {}, cwd: '/app', hosts: {} }, users: [{ uid: 1000, gid: 1000 }] },
];

let dir: string;
let database: Database;
let records: AuditRecord[];
let isAuditFull: boolean;
let policyFile: PolicyFile;
let assignments: Assignments;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-assignments-'));
  writeFileSync(join(dir, 'policy.yaml'), text);
  database = await openDatabase(join(dir, 'db'), 'crash');
  [records, isAuditFull] = [[], false];
  await open();
});
afterEach(async () => {
  await database.destroy();
  rmSync(dir, { recursive: true });
});

async function open(): Promise<void> {
  policyFile = openPolicyFile(join(dir, 'policy.yaml'));
  const append = async (record: AuditRecord) => {
    if (isAuditFull) throw new Error('the audit is full');
    records.push(record);
  };
  const agents = new Map([agentOf('coder'), agentOf('other')]);
  assignments = await openAssignments({
    ...{ database, policyFile, agents: () => agents },
    audit: { append, unkept: () => {} },
  });
}

const ruled = (tool: string, agent = 'coder', args: string[] = []) => {
  const facts = { agent, tool, args, uid: 1, gid: 1, cwd: '/app' };
  const { action, rule } = decide(policyFile.current(), facts);
  return `${action} ${rule}`;
};
const assign = (tool: string, action: 'ask' | 'allow' = 'ask', agent = 'coder') =>
  assignments.assign({ agent, tool, action }, ann, 'for a while');
const events = () => records.flatMap((record) => (record.type === 'assignment' ? [record.event] : []));

test('P7 an assignment counts at once for its agent alone, deny beats it, and a start takes it up', async () => {
  const { hash } = policyFile.current();
  expect(await assign('git')).toMatchObject({ value: { rule: 'assigned:coder:git' } });
  expect([ruled('git'), ruled('git', 'other')]).toEqual(['ask assigned:coder:git', 'deny default']);
  expect(ruled('git', 'coder', ['push', 'x'])).toBe('deny no-push');
  expect(policyFile.current().hash).not.toBe(hash);
  const assigned = policyFile.current().hash;
  await open();
  expect([ruled('git'), policyFile.current().hash]).toEqual(['ask assigned:coder:git', assigned]);
  expect(records.at(-1)).toMatchObject({ type: 'lifecycle', text: `policy ${assigned}: assignments` });
  expect(await assignments.unassign({ agent: 'coder', tool: 'git' }, ann, '')).toMatchObject({ value: {} });
  expect([ruled('git'), policyFile.current().hash]).toEqual(['deny default', hash]);
  await open();
  expect([ruled('git'), events()]).toEqual(['deny default', ['assigned', 'unassigned']]);
});

test('what policy check calls an error is not assigned, and its warnings are told', async () => {
  expect(await assign('sh', 'allow')).toEqual({
    refused: expect.stringMatching(/^rule assigned:coder:sh allows sh, which runs any other tool/),
  });
  expect([ruled('sh'), events()]).toEqual(['deny default', []]);
  const warnings = [
    expect.stringContaining('rule assigned:coder:git allows git, which runs programs'),
    expect.stringMatching(/^rule assigned:coder:git allows git with .*add safe-arguments/),
  ];
  expect(await assign('git', 'allow')).toEqual({ value: { rule: 'assigned:coder:git', warnings } });
  expect(ruled('git')).toBe('allow assigned:coder:git');
});

test('P25 what cannot be recorded is not assigned; what is taken back counts no more even then', async () => {
  isAuditFull = true;
  await expect(assign('ls', 'allow')).rejects.toThrow('nothing has changed');
  expect(ruled('ls')).toBe('deny default');
  isAuditFull = false;
  await assign('ls', 'allow');
  isAuditFull = true;
  await expect(assignments.unassign({ agent: 'coder', tool: 'ls' }, ann, '')).rejects.toThrow(
    'it is in force',
  );
  expect(ruled('ls')).toBe('deny default');
});

test('P3 an assignment ends with its agent', async () => {
  await Promise.all([assign('git'), assign('ls', 'allow'), assign('ls', 'ask', 'other')]);
  await assignments.endAllBut(['other']);
  expect([ruled('git'), ruled('ls'), ruled('ls', 'other')]).toEqual([
    ...['deny default', 'deny default', 'ask assigned:other:ls'],
  ]);
  await open();
  expect(policyFile.assignments()).toMatchObject([{ agent: 'other', tool: 'ls' }]);
});

test('there is no assignment of an unknown agent or tool', async () => {
  expect(await assign('gti')).toEqual({ refused: expect.stringContaining('"git"') });
  expect(await assign('git', 'ask', 'codr')).toEqual({ refused: expect.stringContaining('"coder"') });
  expect(await assignments.unassign({ agent: 'coder', tool: 'git' }, ann, '')).toEqual({
    refused: 'git is not assigned to coder',
  });
});

test('an assignment whose agent or tool is not there is told', async () => {
  await Promise.all([assign('git'), assign('ls', 'allow', 'other')]);
  const both = new Map([agentOf('coder'), agentOf('other')]);
  expect(idleAssignments({ policyFile, agents: () => both })).toEqual([]);
  const agents = () => new Map([agentOf('coder')]);
  writeFileSync(join(dir, 'policy.yaml'), text.replaceAll('git', 'hg'));
  const changed = openPolicyFile(join(dir, 'policy.yaml'));
  await changed.assign(
    () => policyFile.assignments(),
    async (_policy, apply) => apply(),
  );
  expect(idleAssignments({ policyFile: changed, agents })).toEqual([
    'assigned:coder:git matches nothing: nothing defines the tool git',
    'assigned:other:ls matches nothing: there is no agent other',
  ]);
});
