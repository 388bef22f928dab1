import type { ServiceError } from '@grpc/grpc-js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { AgentStatus, Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { type Fleet, foreign, idOf, own, type Row, startFleet } from './two-fleets.ts';

const warden = WardenServiceService;

let [alone, both]: [Fleet | undefined, Fleet | undefined] = [undefined, undefined];
beforeAll(async () => {
  [alone, both] = [await startFleet(own), await startFleet([...own, ...foreign])];
});
afterAll(async () => {
  await alone?.[Symbol.asyncDispose]();
  await both?.[Symbol.asyncDispose]();
});

/** What the gateway chooses anew in each run: ids and times of questions, and sealed places, of one length each. */
const chosen = new Set(['createdAt', 'expiresAt', 'givenAt', 'nextPageToken']);

function plain(value: unknown, ids: readonly string[]): string {
  return JSON.stringify(value, (key, each: unknown) => {
    if (typeof each === 'bigint') return `${each}`;
    if (chosen.has(key) && typeof each === 'string') return each.length;
    return typeof each === 'string' && ids.includes(each) ? `question ${ids.indexOf(each)}` : each;
  });
}

async function answerTo(call: Promise<unknown>): Promise<unknown> {
  return call.catch(({ code, details }: ServiceError) => ({ code, details }));
}

/** Every page of a list, the sizes of pages too. */
async function pages(ask: (pageToken: string) => Promise<{ nextPageToken: string }>): Promise<unknown[]> {
  const found: { nextPageToken: string }[] = [];
  let token = '';
  do {
    const page = await ask(token);
    found.push(page);
    token = page.nextPageToken;
  } while (token !== '');
  return found;
}

const foreignIds = 50;

/** All that a person may ask, about its own agents, about others, and about what does not exist. */
async function transcript(client: GatewayClient, ids: readonly string[], limit: number): Promise<string[]> {
  const said: unknown[] = [];
  const note = async (call: Promise<unknown>) => void said.push(await answerTo(call));
  const rest = { since: '', decision: '', tool: '', q: '', limit };
  for (const agent of ['', 'web-1', 'db-1', 'nothing'])
    for (const running of [true, false])
      await note(
        pages((pageToken) => client.call(warden.listExecutions, { agent, running, ...rest, pageToken })),
      );
  for (const some of [{ q: 'rm ' }, { q: 'RM 5' }, { tool: 'rm' }, { tool: 'rm', q: 'nothing' }, { q: 'rm' }])
    for (const running of [true, false])
      await note(
        pages((pageToken) =>
          client.call(warden.listExecutions, { agent: '', running, ...rest, ...some, pageToken }),
        ),
      );
  await note(pages((pageToken) => client.call(warden.listApprovals, { limit, pageToken })));
  const granted = await pages((pageToken) => client.call(warden.listGrants, { limit, pageToken }));
  // The gateway makes their ids.
  said.push(JSON.parse(JSON.stringify(granted, (key, each) => (key === 'id' ? '' : (each as unknown)))));
  await note(client.call(warden.revokeGrant, { id: 'f'.repeat(16), reason: '' }));
  await note(pages((pageToken) => client.call(warden.listAgents, { pageToken })));
  const numbers = [0, 1, 2, foreignIds, foreignIds + 1];
  for (const id of [...numbers.map(idOf), idOf(0).slice(0, -1), idOf(0).slice(0, -2), '0199'])
    for (const method of [warden.getExecution, warden.getOutput] as const)
      await note(client.call(method as typeof warden.getExecution, { id, caller: '' }));
  for (const id of ids) await note(client.call(warden.getApproval, { id }));
  const cwd = '/app';
  for (const agent of ['', 'web-1', 'db-1', 'web-3', 'nothing']) {
    const told = client.call(warden.explainCommand, { agent, tool: 'ask', args: [], cwd });
    said.push(plain(await answerTo(told), []).replaceAll(agent || '-', 'AGENT'));
    const state = { agent, status: AgentStatus.ACTIVE, reason: '' };
    const set = await answerTo(client.call(warden.setAgentState, state));
    said.push(plain(set, []).replaceAll(agent || '-', 'AGENT'));
    const workspace = await answerTo(client.call(warden.getWorkspace, { agent }));
    said.push(plain(workspace, []).replaceAll(agent || '-', 'AGENT'));
  }
  await note(client.call(warden.getStatus, {}));
  await note(client.call(warden.listHosts, { pageToken: '' }));
  await note(client.call(warden.getPolicy, {}));
  return said.map((each) => plain(each, ids));
}

const rowsOf = (agents: readonly string[], from: number) =>
  fc
    .array(fc.record({ agent: fc.constantFrom(...agents), isRunning: fc.boolean() }), { maxLength: 8 })
    .map((rows) => rows.map((row, index): Row => ({ ...row, number: from + index })));

/** The rows of both, each in its order, in an order that `turns` says. */
function woven(one: readonly Row[], other: readonly Row[], turns: readonly boolean[]): Row[] {
  const [left, right] = [[...one], [...other]];
  const next = (turn: boolean) => (turn ? left.shift() : right.shift()) ?? left.shift() ?? right.shift();
  return Array.from({ length: one.length + other.length }, (_, index) => next(turns[index] ?? true)).flatMap(
    (row) => row ?? [],
  );
}

const numRuns = process.env['CLAWRDEN_LONG'] ? 60 : 4;

test('A-50 A-68 P18: every answer to a scoped person is the same with another fleet and without it', async () => {
  const turns = fc.array(fc.boolean(), { minLength: 16, maxLength: 16 });
  const limit = fc.constantFrom(1, 3, 100);
  const person = fc.constantFrom('vera', 'otto');
  const others = rowsOf([...foreign, ''], foreignIds);
  await fc.assert(
    fc.asyncProperty(
      rowsOf(own, 0),
      others,
      turns,
      limit,
      person,
      async (mine, theirs, order, most, name) => {
        if (alone === undefined || both === undefined) throw new Error('no fleets');
        const ids = await alone.fill(mine);
        const mixed = woven(mine, theirs, order);
        const all = await both.fill(mixed);
        const asked = mixed.filter(({ isRunning, agent }) => isRunning && agent !== '');
        const ofMine = all.filter((_id, index) => own.some((agent) => agent === asked[index]?.agent));
        expect(await transcript(both[name], ofMine, most)).toEqual(await transcript(alone[name], ids, most));
      },
    ),
    { numRuns },
  );
});

test('to a person of all agents the answers are not the same', async () => {
  const mine = [{ agent: 'web-1', number: 0, isRunning: false }];
  const ids = await alone?.fill(mine);
  await both?.fill([...mine, { agent: 'db-1', number: foreignIds, isRunning: false }]);
  if (alone === undefined || both === undefined || ids === undefined) throw new Error('no fleets');
  const [one, two] = [await transcript(alone.all, ids, 100), await transcript(both.all, ids, 100)];
  const differ = one.filter((line, index) => line !== two[index]);
  // History, agents, two ids, and what may be done to an agent that is there.
  expect(differ.length).toBeGreaterThan(4);
  expect(await transcript(both.otto, ids, 100)).toEqual(await transcript(alone.otto, ids, 100));
});

test('A-50 P10: a foreign grant is no grant, neither to look at nor to revoke', async () => {
  const rows = ['db-1', 'web-1'].map((agent, number) => ({ agent, number, isRunning: false }));
  await both?.fill(rows);
  const list = async (client: GatewayClient | undefined) =>
    (await client?.call(warden.listGrants, { limit: 0, pageToken: '' }))?.grants ?? [];
  const [theirs, mine] = await list(both?.all);
  expect([theirs?.agent, mine?.agent]).toEqual(['db-1', 'web-1']);
  expect((await list(both?.otto)).map(({ id }) => id)).toEqual([mine?.id]);
  const revoke = async (client: GatewayClient | undefined, id = '') =>
    plain(
      await answerTo(Promise.resolve(client?.call(warden.revokeGrant, { id, reason: '' }))),
      [],
    ).replaceAll(id, 'ID');
  expect(await revoke(both?.otto, theirs?.id)).toBe(await revoke(both?.otto, 'f'.repeat(16)));
  expect(await revoke(both?.vera, mine?.id)).toContain('this needs the role');
  expect(await revoke(both?.otto, mine?.id)).toContain('web-1');
  expect((await list(both?.all)).map(({ id }) => id)).toEqual([theirs?.id]);
});

test('A-50 P10: a verdict on a foreign question is refused in the words for one that does not exist', async () => {
  const rows = ['db-1', 'web-1'].map((agent, number) => ({ agent, number, isRunning: true }));
  const [theirs = '', mine = ''] = (await both?.fill(rows)) ?? [];
  const verdict = { verdict: Verdict.DENY, reason: '', grantSeconds: 0, via: '' };
  const shown = await both?.all.call(warden.listApprovals, { limit: 0, pageToken: '' });
  const resolve = async (id: string) => {
    const planHash = shown?.approvals.find((each) => each.id === id)?.planHash ?? 'h';
    const call = both?.otto.call(warden.resolveApproval, { ...verdict, id, planHash });
    return plain(await answerTo(Promise.resolve(call)), []).replaceAll(id, 'ID');
  };
  expect(await resolve(theirs)).toBe(await resolve('f'.repeat(32)));
  expect(await resolve(mine)).toContain('web-1');
});
