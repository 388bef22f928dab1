import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import { openChannel, operator, readAudit, relay, request, smallLimits, startCore } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

const stuck = 'breakers: [{ name: stuck, repeats: 3, action: refuse, reason: read what it says }]\n';
const lost = 'breakers: [{ name: lost, failures: 2, action: pause }]\n';

const controls = () => readAudit(dir).filter(({ type }) => type === 'control');

test('P19: a breaker that refuses says why and what to do, is in the audit, and holds over a restart until a person lifts it', async () => {
  const run = (core: Awaited<ReturnType<typeof startCore>>) =>
    createExecute(core)(relay, request('run'), openChannel());
  {
    await using core = await startCore(dir, undefined, smallLimits, stuck);
    expect([(await run(core)).kind, (await run(core)).kind]).toEqual(['exited', 'exited']);
    expect(await run(core)).toEqual({
      ...{ kind: 'denied', reason: 'breaker-open' },
      text:
        'the breaker stuck stopped coder: the same command 3 times in a row (read what it says); ' +
        'stop, and let a person look at it; an operator lifts the stop with: clawrden resume coder',
    });
    expect(core.ran).toHaveLength(2);
    await vi.waitUntil(() => controls().length === 1);
  }
  expect(controls()).toMatchObject([{ agent: 'coder', state: 'refused', by: 'breaker:stuck' }]);
  await using core = await startCore(dir, undefined, smallLimits, stuck);
  expect(await run(core)).toMatchObject({ reason: 'breaker-open' });
  expect(core.states.stopOf('coder')).toMatchObject({ state: 'refused', by: 'breaker:stuck' });
  await core.killSwitch.set('coder', 'active', operator, 'looked');
  core.breakers.reset('coder');
  expect((await run(core)).kind).toBe('exited');
});

test('P19: a breaker that pauses ends what runs', async () => {
  await using core = await startCore(
    dir,
    (permit, { signal }) => {
      if (permit.sealed.plan.argv.length === 1)
        return Promise.resolve({ kind: 'exited', code: 7, signal: 0 });
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    },
    smallLimits,
    lost,
  );
  const execute = createExecute(core);
  const long = request('run');
  const running = execute(relay, { ...long, command: { ...long.command, args: ['long'] } }, openChannel());
  await vi.waitUntil(() => core.ran.length === 1);
  for (const _ of [1, 2]) await execute(relay, request('run'), openChannel());
  expect(await running).toMatchObject({ kind: 'canceled', text: 'paused by breaker:lost' });
  expect(await execute(relay, request('run'), openChannel())).toMatchObject({ reason: 'agent-paused' });
});

test('a breaker does not take back what a person did', async () => {
  await using core = await startCore(dir, undefined, smallLimits, lost);
  await core.killSwitch.set('coder', 'killed', operator, 'frightened');
  core.killSwitch.trip('coder', { breaker: 'lost', state: 'paused', reason: 'failures' });
  expect(core.states.stopOf('coder')).toMatchObject({ state: 'killed', by: 'person:admin' });
});
