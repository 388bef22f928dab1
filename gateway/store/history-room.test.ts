import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import { openDatabase } from './database.ts';
import { createHistoryRoom } from './history-room.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const mostBytes = 400_000;

const rows = fc.array(
  fc.record({
    agent: fc.constantFrom('a', 'b', 'c'),
    plan: fc.nat(8000),
    ended: fc.boolean(),
    relay: fc.nat(1),
  }),
  { minLength: 1, maxLength: 400 },
);

/** As triggers should have it. */
const summed = sql<{
  agent: string;
  bytes: number;
}>`select agent, sum(1000 + 5 * length(argv) + length(cwd) + length(plan)
  + length(operands) + length(text) + length(decision_reason) + length(cut) + length(connections)) as bytes
  from executions group by agent order by agent`;

test('P20: the history has a size: the oldest of whichever agent has most go, and no id that went may start again', async () => {
  const property = fc.asyncProperty(rows, async (all) => {
    const database = await openDatabase(':memory:', 'crash');
    const room = createHistoryRoom(database, mostBytes);
    const ids: { caller: string; id: string }[] = [];
    for (const [at, { agent, plan, ended, relay }] of all.entries()) {
      const [caller, id] = [`relay:${relay}`, newExecutionId(1_700_000_000_000 + at)];
      ids.push({ caller, id });
      await sql`insert into executions (caller, id, agent, argv, cwd, state, decision, rule, decision_reason, strategy,
        host, container, plan_hash, plan, approval_id, approver, outcome, reason, text, uid, gid, exit_code, exit_signal,
        stdout_bytes, stderr_bytes, received_at, ended_at) values (${caller}, ${id}, ${agent}, '[]', '', '', '', '', '',
        '', '', '', '', ${'x'.repeat(plan)}, '', '', '', '', '', 0, 0, 0, 0, 0, 0, ${at}, ${ended ? at : null})`.execute(
        database,
      );
      if (at % 3 === 0)
        await sql`update executions set text = 'changed' where caller = ${caller} and id = ${id}`.execute(
          database,
        );
    }
    await room.makeRoom();
    const left = await database.selectFrom('executions').selectAll().execute();
    const { rows: sums } = await summed.execute(database);
    const sizes = await database.selectFrom('history_sizes').selectAll().orderBy('agent').execute();
    expect(sizes).toEqual(sums);
    const total = sums.reduce((sum, { bytes }) => sum + bytes, 0);
    const [largest] = sums.toSorted((a, b) => b.bytes - a.bytes);
    // What runs stays, whatever it takes.
    const open = left.filter(({ ended_at: ended }) => ended === null).length;
    const stuck = left.every(({ agent, ended_at: ended }) => agent !== largest?.agent || ended === null);
    expect(total <= mostBytes || stuck).toBe(true);
    expect(open).toBe(all.filter(({ ended }) => !ended).length);
    const kept = new Set(left.map(({ caller, id }) => `${caller} ${id}`));
    for (const { caller, id } of ids)
      if (!kept.has(`${caller} ${id}`))
        await expect(room.checkId(caller, id)).rejects.toMatchObject({ code: 'id-too-old' });
    for (const relay of [0, 1]) await room.checkId(`relay:${relay}`, newExecutionId());
    // Another start knows it, too.
    const next = createHistoryRoom(database, mostBytes);
    const gone = ids.find(({ caller, id }) => !kept.has(`${caller} ${id}`));
    if (gone !== undefined) await expect(next.checkId(gone.caller, gone.id)).rejects.toThrow('no room');
    await database.destroy();
  });
  await fc.assert(property, { numRuns: isLong ? 200 : 12 });
});
