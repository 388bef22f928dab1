import { type Duplex, duplexPair } from 'node:stream';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { crumbPace } from '../../src/crumb-budgets.ts';
import { createFaults } from '../../src/faults.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { encodeFrame, type Frame, FrameReader, FrameType } from '../../src/wire/frames.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import type { AgentState } from '../ports/agent-state.ts';
import { type AgentWays, createAgentWays } from './agent-ways.ts';
import { openEgress } from './open-egress.ts';
import { wayOutMaker } from './open-way-out.ts';

function policyWith(networks: string): Policy {
  const parsed = parsePolicy(`version: 1\nnetworks: ${networks}\ncomplete: true\n`, 'policy.yaml');
  if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
  return parsed.policy;
}

const users = [{ uid: 1, gid: 1 }] as const;
const agent = (name: string, network?: string): AgentConfig => ({
  ...{ name, relay: 'r', users, labels: {}, cwd: '/app', hosts: {}, network },
});

let agents: Map<string, AgentConfig>;
let policy: Policy;
let state: AgentState;
let records: AuditRecord[];
let ways: AgentWays;
let lanes: Duplex[];
let logged: string[];

beforeEach(() => {
  agents = new Map([
    ['coder', agent('coder', 'docs')],
    ['plain', agent('plain')],
    ['lost', agent('lost', 'nowhere')],
  ]);
  policy = policyWith('{ docs: { allow: ["docs.example:80"] } }');
  [state, records, lanes, logged] = ['active', [], [], []];
  const log = pino({}, { write: (line) => void logged.push(line) });
  const audit = { append: async (record: AuditRecord) => void records.push(record), problem: () => '' };
  const egress = openEgress({
    audit,
    connect: () => Promise.reject(new Error('nothing is reached here')),
    routes: () => new Map(),
    findLearning: () => undefined,
    secret: () => Promise.reject(new Error('there is none')),
  });
  ways = createAgentWays({
    ...{ agents: () => agents, policy: () => policy, routes: () => new Map(), audit, log },
    states: { stateOf: () => state, locked: () => false },
    createWayOut: wayOutMaker(egress, createFaults(log)),
    paceOf: () => crumbPace(),
  });
});
afterEach(() => {
  for (const lane of lanes) lane.destroy();
});

/** The relay's side of a lane that was taken. */
function laneOf(name: string, relay = 'r') {
  const [ours, theirs] = duplexPair();
  lanes.push(ours, theirs);
  const heard: Frame[] = [];
  const reader = new FrameReader();
  ours.on('data', (chunk: Buffer) => {
    for (const { type, payload } of reader.push(chunk)) heard.push({ type, payload: Buffer.from(payload) });
  });
  const closed = new Promise<void>((resolve) => ours.once('close', resolve).once('end', resolve));
  const refused = ways.offer(relay, name, theirs);
  const say = (type: number, id: number, text = '') =>
    ours.write(encodeFrame(type, Buffer.concat([Buffer.of(id), Buffer.from(text)])));
  const said = (id: number) =>
    Buffer.concat(
      heard
        .filter(({ type, payload }) => type === FrameType.carried && payload[0] === id)
        .map(({ payload }) => payload.subarray(1)),
    ).toString();
  return { ours, heard, closed, refused, say, said };
}

const get = (host: string) => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

test('connections are judged and recorded as the agent’s, and what may be reached before them', async () => {
  const { say, said } = laneOf('coder');
  say(FrameType.opened, 3);
  say(FrameType.carried, 3, get('other.example'));
  await expect
    .poll(() => said(3))
    .toContain('egress-denied: other.example:80 is not a destination of network docs');
  say(FrameType.finished, 3);
  say(FrameType.gone, 3);
  await expect.poll(() => records.length).toBe(2);
  expect(records).toMatchObject([
    { type: 'way-out', agent: 'coder', network: 'docs', allow: [{ to: 'docs.example:80' }], routes: [] },
    { type: 'connection', execution: '', agent: 'coder', to: 'other.example:80', outcome: 'denied' },
  ]);
  laneOf('coder');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(records.filter(({ type }) => type === 'way-out')).toHaveLength(1);
});

test.each([
  ['another relay', 'coder', 'r2', /keeps no way out of an agent of that name/],
  ['an agent that has none', 'plain', 'r', /keeps no way out of an agent of that name/],
  ['an agent that does not exist', 'nobody', 'r', /keeps no way out of an agent of that name/],
  ['a network that is not there', 'lost', 'r', /network nowhere, which the policy does not have/],
])('A-234 P3: no lane for %s', (_what, name, relay, why) => {
  expect(laneOf(name, relay).refused).toMatch(why);
});

test('a network that the policy does not have is told', () => {
  expect(ways.problems()).toEqual([
    'agent lost has the network nowhere, which the policy does not have with allow or routes',
  ]);
});

test.each<[string, () => void, RegExp | undefined]>([
  ['its agent is paused', () => void (state = 'paused'), /halted/],
  ['its agent is killed', () => void (state = 'killed'), /halted/],
  ['its agent is gone', () => void agents.delete('coder'), /keeps no way out/],
  [
    'its agent has another relay',
    () => void agents.set('coder', { ...agent('coder', 'docs'), relay: 'x' }),
    /keeps/,
  ],
  [
    'another destination',
    () => void (policy = policyWith('{ docs: { allow: ["new.example:80"] } }')),
    undefined,
  ],
])('A-235 P19: a lane ends, with its connections, when %s', async (_what, change, refused) => {
  const { say, closed, heard } = laneOf('coder');
  say(FrameType.opened, 0);
  await expect.poll(() => records.length).toBe(1);
  ways.hold();
  say(FrameType.opened, 1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(heard).toEqual([]);
  change();
  ways.hold();
  await closed;
  await expect
    .poll(() => records.filter(({ type }) => type === 'connection'))
    .toMatchObject([{ outcome: 'stopped' }, { outcome: 'stopped' }]);
  if (refused === undefined) expect(laneOf('coder').refused).toBeUndefined();
  else expect(laneOf('coder').refused).toMatch(refused);
});

test('a breaker that only refuses new work leaves the agent its model', () => {
  state = 'refused';
  expect(laneOf('coder').refused).toBeUndefined();
});

test('of two lanes the newer counts', async () => {
  const first = laneOf('coder');
  const second = laneOf('coder');
  await first.closed;
  second.say(FrameType.opened, 0);
  second.say(FrameType.carried, 0, get('other.example'));
  await expect.poll(() => second.said(0)).toContain('egress-denied');
});

test.each([
  ['a frame of another kind', encodeFrame(FrameType.stdout, Buffer.from('x'))],
  ['a number that is too large', encodeFrame(FrameType.opened, Buffer.of(64))],
  ['bytes of no connection', encodeFrame(FrameType.carried, Buffer.from([0, 1]))],
  ['a frame that is too long', Buffer.from([FrameType.carried, 0, 16, 0, 0])],
])('A-234 P24: a lane ends that brings %s', async (_what, bytes) => {
  const { ours, closed } = laneOf('coder');
  ours.write(bytes);
  await closed;
});

test('A-423 P20: lanes that a relay breaks without end are a line a second in the log, with a count', async () => {
  const began = performance.now();
  for (let lane = 0; lane < 50; lane += 1) {
    const { ours, closed } = laneOf('coder');
    ours.write(encodeFrame(FrameType.stdout, Buffer.from('x')));
    await closed;
  }
  await expect.poll(() => logged.at(-1)).toMatch(/ \(the last of \d+ in a second\)/);
  expect(logged.length).toBeLessThan(2 + (performance.now() - began) / 1000);
});
