import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import { type Database, openDatabase } from '../../gateway/store/database.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { openChannel, relay, request, smallLimits, startCore } from './start-core.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const seconds = isLong ? 5 : 0.5;
const patience = 60;
// Pages of the database that are not full, and a row that is longer than the rest of its page.
const spare = 64 * 1024;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** The used part of the database, and the audit without refusals, which have a budget of their own. */
async function size(index: Database): Promise<number> {
  const { rows } = await sql<{ used: number }>`select (page_count - freelist_count) * page_size as used
    from pragma_page_count, pragma_freelist_count, pragma_page_size`.execute(index);
  const audit = readFileSync(join(dir, 'audit.jsonl'), 'utf8').split('\n');
  const told = audit.filter((line) => !line.includes('rate-limit'));
  return (rows[0]?.used ?? 0) + told.join('\n').length;
}

const [small, large] = [16 * 1024, 128 * 1024];
const shapes = {
  'as small as they can be': { args: [], bytesPerSecond: small },
  'as long as they can be': { args: ['x'.repeat(50_000)], bytesPerSecond: large },
  'of control characters': { args: ['\u0001'.repeat(4000)], bytesPerSecond: large },
  'of many words': { args: Array.from({ length: 1500 }, () => 'ab'), bytesPerSecond: large },
};

test.each(
  Object.entries(shapes).flatMap(([name, shape]) => [
    ['run', 'are let through', name, shape] as const,
    ['ask', 'a person is asked about', name, shape] as const,
  ]),
)(
  'P20: %s: commands that %s, %s: what is recorded of them stays in the budget of their agent',
  async (tool, _how, _name, { args, bytesPerSecond }) => {
    const limits = { ...smallLimits, bytesPerSecond, requestsPerSecond: 100_000 };
    await using core = await startCore(dir, undefined, limits);
    const execute = createExecute(core);
    const index = await openDatabase(join(dir, 'clawrden.db'), 'crash');
    const before = await size(index);
    const began = performance.now();
    let [passed, refused] = [0, 0];
    const elapsed = () => (performance.now() - began) / 1000;
    // A busy machine may need longer to spend the budget.
    while (elapsed() < seconds || (refused === 0 && elapsed() < patience)) {
      const channel = openChannel();
      const outcome = execute(
        relay,
        request(tool, { command: { ...request(tool).command, args: [...args] } }),
        channel,
      );
      // A question is open for a moment before its caller goes.
      if (tool === 'ask') await Promise.race([outcome, sleep(3)]);
      channel.leave(new ClawrdenError('requester-gone', ''));
      const ended = await outcome;
      if ('reason' in ended && ended.reason === 'rate-limit') refused += 1;
      else passed += 1;
      // Refusals need no turn of the event loop: without a pause nothing else would run.
      if (refused % 50 === 49) await sleep(1);
    }
    await core.history.unended();
    expect(passed).toBeGreaterThan(1);
    expect(refused).toBeGreaterThan(0);
    const grown = (await size(index)) - before;
    expect(grown).toBeLessThan((elapsed() + 2) * bytesPerSecond + spare);
    await index.destroy();
  },
);

test('P20: the plan of a question is kept as long as it can be answered or used, and once', async () => {
  const index = await openDatabase(join(dir, 'clawrden.db'), 'crash');
  const kept = () => index.selectFrom('approvals').select(['state', 'plan']).execute();
  await using core = await startCore(dir);
  const execute = createExecute(core);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('approved', 'denied', 'void'),
      fc.integer({ min: 1, max: 30_000 }),
      async (end, length) => {
        const channel = openChannel();
        const args = ['x'.repeat(length)];
        const asked = request('ask', { command: { ...request('ask').command, args } });
        const outcome = execute(relay, asked, channel);
        await expect.poll(() => core.approvals.pending().length).toBe(1);
        const [question] = core.approvals.pending();
        expect((await kept()).filter(({ plan }) => plan !== '')).toEqual([
          { state: 'pending', plan: question!.plan },
        ]);
        if (end === 'void') channel.leave(new ClawrdenError('requester-gone', ''));
        else
          await core.approvals.resolve(question!.id, {
            ...{ verdict: end, by: 'admin', via: 'cli', reason: '', planHash: question!.planHash },
          });
        await outcome;
        expect((await kept()).filter(({ plan }) => plan !== '')).toEqual([]);
        const row = await core.history.find(asked.executionId);
        expect(row?.planHash).toBe(question!.planHash);
        expect((row?.plan ?? '').length).toBeLessThanOrEqual(8192);
        if (length < 4000) expect(JSON.parse(row?.plan ?? '')).toMatchObject({ argv: ['ask', ...args] });
      },
    ),
    { numRuns: isLong ? 200 : 15 },
  );
  expect((await kept()).length).toBeGreaterThan(10);
  await index.destroy();
});
