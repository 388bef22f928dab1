import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { relayViews } from '../../gateway/control/relay-views.ts';
import { type FleetWarden, foreign, idOf, makeFleet, own, type Row } from '../grpc/two-fleets.ts';
import { answerOf, ask } from './ask.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

interface Site {
  readonly fleet: FleetWarden;
  readonly door: HttpGateway;
  /** An operator of the agents with `team: web`, and one of all. */
  readonly otto: string;
  readonly all: string;
}

const place = { peer: '10.0.0.7:4242', fingerprint: 'f', version: '1.2', since: 1_000 };
/** One that gateway.yaml does not name. */
const connected = new Map([['host-9', place]]);

async function startSite(names: readonly string[]): Promise<Site> {
  const fleet = await makeFleet(names);
  const host = {
    name: 'build-1',
    state: 'ready',
    draining: false,
    engine: 'unix:///x',
    slots: 4,
    running: 1,
    queued: 0,
  } as const;
  const hosts = [{ ...host, labels: { zone: 'a' }, problem: '', warm: 2, workspaceBytes: 7 }];
  const warden = {
    ...fleet.warden,
    hosts: () => hosts,
    setHostDraining: async (name: string, draining: boolean) =>
      hosts.flatMap((each) =>
        each.name === name ? [{ ...each, state: draining ? ('draining' as const) : each.state }] : [],
      )[0],
    relays: () => relayViews(new Map([['coder', { relay: 'host-1' }]]), { places: () => connected }),
    policy: () => ({ hash: 'h', text: 'version: 1\n', problem: '' }),
  };
  const limits = { connections: 512, perAddress: 512, requestsPerSecond: 100_000 };
  const door = await startHttpGateway({ warden, limits });
  const otto = door.token('operator', { name: 'otto', scope: { team: 'web' } });
  return { fleet, door, otto, all: door.token('operator', { name: 'all' }) };
}

let [alone, both]: Site[] = [];
beforeAll(async () => {
  [alone, both] = [await startSite(own), await startSite([...own, ...foreign])];
});
afterAll(async () => {
  for (const site of [alone, both]) {
    await site?.door[Symbol.asyncDispose]();
    await site?.fleet.close();
  }
});

const row = (agent: string, number: number, isRunning = true): Row => ({ agent, number, isRunning });

test('what gRPC lists, HTTP lists: executions, questions, agents, hosts, the policy, an explanation', async () => {
  const { fleet, door, all: token } = both!;
  const some = ['web-1', 'db-1', 'web-2'].map((agent, at) => row(agent, at + 1, at < 2));
  const [first = ''] = await fleet.fill(some);
  const { executions } = await answerOf(door, 'executions', { token });
  expect(executions.map(({ id, state }) => [id, state])).toEqual([[idOf(3), 'ended']]);
  const running = await answerOf(door, 'executions', { token, query: { state: 'running' } });
  expect(running.executions.map(({ agent }) => agent)).toEqual(['web-1', 'db-1']);
  expect((await answerOf(door, 'executions', { token, query: { state: 'queued' } })).executions).toEqual([]);
  expect(await answerOf(door, 'execution', { token, params: { id: idOf(3) } })).toMatchObject({
    argv: ['rm', '3'],
    plan: '',
    connectionCount: 0,
  });
  const { approvals } = await answerOf(door, 'approvals', { token });
  expect(approvals.map(({ agent }) => agent)).toEqual(['web-1', 'db-1']);
  const shown = await answerOf(door, 'approval', { token, params: { id: first } });
  expect(JSON.parse(shown.plan)).toMatchObject({ argv: ['rm', '1'] });
  expect((await answerOf(door, 'agents', { token })).agents.map(({ name, state }) => [name, state])).toEqual(
    [...own, ...foreign].toSorted().map((name) => [name, 'active']),
  );
  expect((await answerOf(door, 'hosts', { token })).hosts).toMatchObject([
    { name: 'build-1', labels: { zone: 'a' } },
  ]);
  const { relays } = await answerOf(door, 'relays', { token });
  expect(relays).toMatchObject([
    { name: 'host-1', agents: 1, connected: false, peer: '', version: '' },
    { name: 'host-9', agents: 0, connected: true, peer: '10.0.0.7:4242', connectedAt: expect.any(String) },
  ]);
  expect(relays[0]).not.toHaveProperty('connectedAt');
  const drained = await answerOf(door, 'setHostState', {
    token,
    params: { name: 'build-1' },
    body: { state: 'draining' },
  });
  expect(drained.state).toBe('draining');
  expect(await answerOf(door, 'policy', { token })).toMatchObject({ hash: 'h' });
  const body = { agent: 'web-1', tool: 'nothing', args: [] };
  expect(await answerOf(door, 'explain', { token, body })).toMatchObject({
    action: 'deny',
    code: 'tool-unknown',
  });
  expect(await answerOf(door, 'setLockdown', { token, body: { on: true, reason: 'x' } })).toMatchObject({
    stopped: 0,
  });
});

test('A-79: pages end, hold every row once, and their cursors are no other list’s', async () => {
  const { fleet, door, all: token } = both!;
  await fleet.fill(Array.from({ length: 23 }, (_, at) => row(at % 2 ? 'web-1' : 'db-1', at, at % 3 > 0)));
  const lists = [
    ['executions', { state: 'running' }],
    ['executions', {}],
    ['approvals', {}],
  ] as const;
  for (const [name, query] of lists) {
    const ids: string[] = [];
    let cursor = '';
    do {
      const page = await answerOf(door, name, {
        token,
        query: { ...query, limit: '4', ...(cursor && { cursor }) },
      });
      ids.push(...('executions' in page ? page.executions : page.approvals).map(({ id }) => id));
      cursor = page.nextCursor;
      if (cursor !== '')
        expect(await ask(door, 'agents', { token, query: { cursor } })).toMatchObject({
          problem: { status: 400 },
        });
    } while (cursor !== '');
    expect(new Set(ids).size).toBe(ids.length);
    const whole = await answerOf(door, name, { token, query });
    expect(ids.length).toBe(('executions' in whole ? whole.executions : whole.approvals).length);
  }
  for (const query of [
    { limit: '0' },
    { limit: '1001' },
    { limit: '1e3' },
    { since: 'now' },
    { state: 'ended' },
    { decision: 'maybe' },
  ])
    expect(await ask(door, 'executions', { token, query })).toMatchObject({
      problem: { status: 400, code: 'request-invalid' },
    });
});

test('executions are found by tool and by text, those that run and those of the past', async () => {
  const { fleet, door, all: token, otto } = both!;
  await fleet.fill(['web-1', 'db-1', 'web-1', 'db-1'].map((agent, at) => row(agent, 40 + at, at > 1)));
  const idsOf = async (who: string, query: Record<string, string>) =>
    (await answerOf(door, 'executions', { token: who, query })).executions.map(({ id }) => id);
  expect(await idsOf(token, { q: 'RM 4' })).toEqual([idOf(41), idOf(40)]);
  expect(await idsOf(otto, { q: 'rm 4' })).toEqual([idOf(40)]);
  expect(await idsOf(token, { q: 'rm 42', state: 'running' })).toEqual([idOf(42)]);
  expect(await idsOf(token, { tool: 'rm', agent: 'db-1' })).toEqual([idOf(41)]);
  expect(await idsOf(token, { tool: 'rm', q: 'rm 40' })).toEqual([idOf(40)]);
  expect(await idsOf(otto, { tool: 'rm', state: 'running' })).toEqual([idOf(42)]);
  for (const query of [
    { tool: 'r' },
    { q: 'nothing' },
    { tool: 'ls', q: 'rm 4' },
    { tool: 'r', state: 'running' },
  ])
    expect(await idsOf(token, query as Record<string, string>)).toEqual([]);
  const first = await answerOf(door, 'executions', { token, query: { q: 'rm 4', limit: '1' } });
  const next = { q: 'rm 4', cursor: first.nextCursor };
  expect(await idsOf(token, next)).toEqual([idOf(40)]);
  expect(await ask(door, 'approvals', { token, query: { cursor: first.nextCursor } })).toMatchObject({
    problem: { status: 400 },
  });
  for (const q of ['ab', '', 'x'.repeat(101), 'a\0bc', '\u{1f600}b'])
    expect([q, await ask(door, 'executions', { token, query: { q } })]).toMatchObject([
      q,
      { problem: { status: 400, code: 'request-invalid' } },
    ]);
});

test('P10: grants are listed and revoked, each of them once, within the scope of who asks', async () => {
  const { fleet, door, all: token, otto } = both!;
  const ended = ['web-1', 'db-1'].map((agent, at) => row(agent, at + 1, false));
  await fleet.fill(ended);
  const { grants } = await answerOf(door, 'grants', { token });
  expect(grants).toMatchObject([
    { agent: 'web-1', argv: ['rm', '1'], rule: 'r', executionId: idOf(1), givenBy: ['person:ann'] },
    { agent: 'db-1' },
  ]);
  const [mine, theirs] = grants.map(({ id }) => id);
  expect((await answerOf(door, 'grants', { token: otto })).grants).toEqual(grants.slice(0, 1));
  const revoke = (id = '', who = otto) => ask(door, 'revokeGrant', { token: who, params: { id } });
  expect(await revoke(theirs)).toMatchObject({ problem: { status: 404 } });
  expect(await revoke(mine, door.token('viewer'))).toMatchObject({ problem: { status: 403 } });
  expect(await revoke(mine)).toMatchObject({ answer: { id: mine } });
  expect(await revoke(mine)).toMatchObject({ problem: { status: 404 } });
  expect(await revoke('x')).toMatchObject({ problem: { status: 400 } });
  expect((await answerOf(door, 'grants', { token })).grants).toEqual(grants.slice(1));
});

test('A-50 A-80 P10: a verdict counts for the plan that was shown, once, and is that of its caller', async () => {
  const { fleet, door, all: token } = both!;
  const one = ['web-1'].map((agent) => row(agent, 1));
  const [id = ''] = await fleet.fill(one);
  const { planHash } = await answerOf(door, 'approval', { token, params: { id } });
  const give = (body: object, who = token) => ask(door, 'verdict', { token: who, params: { id }, body });
  const yes = { planHash, verdict: 'approve' };
  expect(await give(yes, door.token('viewer'))).toMatchObject({ problem: { status: 403 } });
  expect(await give({ verdict: 'approve' })).toMatchObject({ problem: { status: 400 } });
  expect(await give({ ...yes, planHash: 'other' })).toMatchObject({
    problem: { status: 409, code: 'plan-changed' },
  });
  expect(await give({ ...yes, verdict: 'deny', grantMinutes: 5 })).toMatchObject({
    problem: { status: 400 },
  });
  expect(await give(yes)).toMatchObject({ answer: { id } });
  expect(await give(yes)).toMatchObject({ problem: { status: 409 } });
});

/** All that a scoped operator may ask, about its own agents, about others, and about what is not there. */
async function transcript(
  { door, otto: token }: Site,
  ids: readonly string[],
  limit: string,
): Promise<string[]> {
  const said: unknown[] = [];
  const note = async (told: Promise<unknown>) => void said.push(await told);
  for (const agent of ['', 'web-1', 'db-1', 'nothing'])
    for (const state of [{}, { state: 'running' }])
      await note(ask(door, 'executions', { token, query: { limit, ...state, ...(agent && { agent }) } }));
  for (const some of [{ q: 'rm ' }, { q: 'RM 5' }, { tool: 'rm' }, { tool: 'rm', q: 'nothing' }])
    for (const state of [{}, { state: 'running' }])
      await note(ask(door, 'executions', { token, query: { limit, ...state, ...some } }));
  await note(ask(door, 'approvals', { token, query: { limit } }));
  for (const name of ['agents', 'tools'] as const) await note(ask(door, name, { token, query: { limit } }));
  for (const name of ['run', 'nothing']) await note(ask(door, 'tool', { token, params: { name } }));
  for (const number of [0, 1, 50, 51])
    await note(ask(door, 'execution', { token, params: { id: idOf(number) } }));
  for (const id of ids) await note(ask(door, 'approval', { token, params: { id } }));
  for (const agent of ['web-1', 'db-1', 'nothing']) {
    const body = { agent, tool: 'ask', args: [] };
    said.push(JSON.stringify(await ask(door, 'explain', { token, body })).replaceAll(agent, 'AGENT'));
    const set = await ask(door, 'setAgentState', {
      token,
      params: { name: agent },
      body: { state: 'active' },
    });
    said.push(JSON.stringify(set).replaceAll(agent, 'AGENT'));
  }
  for (const name of ['status', 'hosts', 'relays', 'policy', 'metrics'] as const)
    await note(ask(door, name, { token }));
  const chosen = new Set(['createdAt', 'expiresAt', 'nextCursor']);
  const plain = (key: string, each: unknown) => {
    if (typeof each !== 'string') return each;
    if (chosen.has(key)) return each.length;
    const at = ids.findIndex((id) => each.includes(id));
    return at < 0 ? each : each.replace(ids[at] ?? '', `question ${at}`);
  };
  return said.map((each) => JSON.stringify(each, plain));
}

test('A-68 P18: every answer to a scoped operator is the same with another fleet and without it', async () => {
  const rowsOf = (agents: readonly string[], from: number) =>
    fc
      .array(fc.record({ agent: fc.constantFrom(...agents), isRunning: fc.boolean() }), { maxLength: 8 })
      .map((rows) => rows.map((each, index): Row => ({ ...each, number: from + index })));
  const limits = fc.constantFrom('1', '3', '100');
  await fc.assert(
    fc.asyncProperty(rowsOf(own, 0), rowsOf([...foreign, ''], 50), limits, async (mine, theirs, limit) => {
      const ids = await alone!.fleet.fill(mine);
      // Each in its own order.
      const longest = Math.max(mine.length, theirs.length);
      const mixed = Array.from({ length: longest }, (_, at) =>
        [theirs[at] ?? [], mine[at] ?? []].flat(),
      ).flat();
      const asked = mixed.filter(({ isRunning, agent }) => isRunning && agent !== '');
      const all = await both!.fleet.fill(mixed);
      const order = mine.filter(({ isRunning }) => isRunning).map(({ number }) => number);
      const ofMine = order.map((number) => all[asked.findIndex((each) => each.number === number)] ?? '');
      expect(await transcript(both!, ofMine, limit)).toEqual(await transcript(alone!, ids, limit));
    }),
    { numRuns: process.env['CLAWRDEN_LONG'] ? 80 : 5 },
  );
});
