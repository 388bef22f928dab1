import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HomeWorkspace } from '../../../src/config/gateway-config.ts';
import { readTold } from '../../../src/config/known-agent.ts';
import { parseRelayConfig } from '../../../src/config/relay-config.ts';
import { type ToldAgent, toldPath } from '../../../src/config/told-agents.ts';
import type { AgentState } from '../../../src/gen/clawrden/v1/relay.ts';
import { makeSandboxFolder, markSandbox, sandboxMark } from '../../../src/sandbox-mark.ts';
import type { HomeWish } from '../workspace/home-wish.ts';
import { openAgentSet } from './agent-set.ts';
import type { ServedAgent } from './serve-agent.ts';
import { createToldFile } from './told-file.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-set-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const users = [{ uid: 1000, gid: 1000 }] as [{ uid: number; gid: number }];
const bind = (source: string): HomeWorkspace => ({
  ...{ kind: 'bind', source, target: '/app', excludes: [], conflicts: 'keep-agent' },
  limits: { entries: 1, bytes: 2, file: 3, depth: 4 },
});

/** What a relay that starts keeps of what it was told before. */
async function start(known: readonly ToldAgent[], roots: readonly string[]) {
  const log = pino({ level: 'silent' });
  const listed = { name: 'mine', socket: 'run/s', container: 'mine', users: ['1001:1001'] };
  const keys = {
    gateway: 'w:1',
    identity: 'identity',
    state: '.',
    agents: [listed],
    'workspace-roots': roots,
  };
  const config = parseRelayConfig(JSON.stringify(keys), join(dir, 'relay.yaml'));
  const file = createToldFile(dir, log);
  await file.write(known);
  // No sockets: which workspaces are kept does not depend on them.
  const serve = () =>
    ({ listen: async () => {}, setUsers: () => {}, problem: () => '' }) as unknown as ServedAgent;
  let held: ReadonlyMap<string, HomeWish> = new Map();
  const homes = {
    hold: (wanted: typeof held) => {
      held = wanted;
    },
    problems: () => new Map(),
  };
  const waysOut = { hold: () => {}, problems: () => new Map() };
  const set = await openAgentSet({ config, serve, file, homes, waysOut, log });
  const kept = [...held].map(([name, { user }]) => `${name} ${user.uid}`);
  return { kept, refused: [...set.refused().keys()], set, config };
}

const told = (name: string, killed: boolean): AgentState => ({
  ...{ name, killed, tools: [], users: [{ uid: 1000, gid: 1000 }], paused: false },
  ...{ workspace: undefined, wayOut: undefined },
});

test('P13: what is read from agents.json is bounded as what is told, also for an agent that relay.yaml names', async () => {
  const known = [
    { name: 'inside', users, workspace: bind('/srv/inside') },
    { name: 'outside', users, workspace: bind('/opt/outside') },
    { name: 'mine', users, workspace: bind('/etc/mine') },
    { name: 'plain', users },
  ];
  expect(await start(known, ['/srv'])).toMatchObject({ kept: ['inside 1000'], refused: ['outside', 'mine'] });
  expect(await start(known, ['/opt'])).toMatchObject({ kept: ['outside 1000'], refused: ['inside', 'mine'] });
  expect(await start(known, [])).toMatchObject({ kept: [], refused: ['inside', 'outside', 'mine'] });
});

test('P1: the carrier of a home is the first user that relay.yaml names, and of one that it does not name the first told', async () => {
  const known = [
    { name: 'inside', users, workspace: bind('/srv/inside') },
    { name: 'mine', users, workspace: bind('/srv/mine') },
  ];
  expect((await start(known, ['/srv'])).kept).toEqual(['inside 1000', 'mine 1001']);
});

test('A-595 P19: a kill ends a sandbox though nothing can be written, and is written once it can be', async () => {
  const { set, config } = await start([], []);
  for (const agent of ['inside', 'other']) {
    await makeSandboxFolder(config, agent);
    await markSandbox(config, agent);
  }
  const [inside, other] = [sandboxMark(config, 'inside'), sandboxMark(config, 'other')];
  await set.follow([told('inside', false), told('other', false)]);
  expect([existsSync(inside), set.unwritten()]).toEqual([true, '']);
  // As a disk without room: the file cannot be begun.
  mkdirSync(`${toldPath(config.state)}~`);
  await set.follow([told('inside', true), told('other', false)]);
  expect([existsSync(inside), existsSync(other)]).toEqual([false, true]);
  expect(set.unwritten()).toContain('EISDIR');
  rmdirSync(`${toldPath(config.state)}~`);
  await set.mend();
  expect(set.unwritten()).toBe('');
  expect(await readTold(config.state)).toMatchObject([{ name: 'inside', halt: 'killed' }, { name: 'other' }]);
});
