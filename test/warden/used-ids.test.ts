import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import { newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const databaseFiles = ['clawrden.db', 'clawrden.db-wal', 'clawrden.db-shm'];
const files = [...databaseFiles, 'audit.jsonl', 'first-start'];
const [minute, hour] = [60_000, 3_600_000];
/** How far the time of a used id is from the clock: long ago, now, and as far ahead as any may be. */
const offsets = [-23 * hour, -minute, -5, 0, minute / 2, minute - 5000];

let gateway: RealGateway;
const used: string[] = [];

beforeAll(async () => {
  gateway = await startRealGateway();
  used.push(...offsets.map((offset) => newExecutionId(Date.now() + offset)));
  if ((await tryAll(used)).some(({ starts }) => starts !== 1)) throw new Error('an id did not start');
  await gateway.end('SIGKILL');
  await mkdir(folder());
  for (const file of files) await cp(join(gateway.state, file), join(folder(), file)).catch(() => {});
}, 60_000);
afterAll(() => gateway?.[Symbol.asyncDispose]());

const folder = () => join(gateway.state, '..', 'killed');

interface Tried {
  readonly starts: number;
  readonly reason: string;
  readonly text: string;
}

async function tryAll(ids: readonly string[]): Promise<Tried[]> {
  const relay = await gateway.relay();
  const commands = ids.map((id) => ({ ...newMirrored(), id }));
  await Promise.all(commands.map((command) => play(relay, command, { tool: 'run' }, gateway.audit)));
  relay.close();
  return commands.map(({ starts, outcome }) => ({
    starts,
    reason: outcome?.reason ?? '',
    text: outcome?.text ?? '',
  }));
}

/** Also tries one that nobody has used, and returns what came of it. */
async function expectNoSecondStart(): Promise<Tried | undefined> {
  const all = await tryAll([...used, newExecutionId()]);
  const fresh = all.pop();
  for (const [n, { starts, reason }] of all.entries()) {
    expect([offsets[n], starts]).toEqual([offsets[n], 0]);
    expect(['id-duplicate', 'id-too-old']).toContain(reason);
  }
  return fresh;
}

/** What is done to the audit. */
const cuts: Record<string, (lines: readonly string[]) => readonly string[] | undefined> = {
  kept: (lines) => lines,
  removed: () => undefined,
  emptied: () => [],
  'cut to its end': (lines) => lines.slice(-1),
  'cut in the middle': (lines) => lines.slice(Math.floor(lines.length / 2)),
};

async function lose(database: boolean, audit: string): Promise<void> {
  for (const file of files) {
    await rm(join(gateway.state, file), { force: true });
    if (!(database && file.startsWith('clawrden.db')))
      await cp(join(folder(), file), join(gateway.state, file)).catch(() => {});
  }
  if (database) await nameAdminAgain();
  const lines = (await readFile(gateway.audit, 'utf8')).split('\n').slice(0, -1);
  const left = cuts[audit]?.(lines);
  if (left === undefined) await rm(gateway.audit);
  else await writeFile(gateway.audit, left.map((line) => `${line}\n`).join(''));
}

/** Where all that knew the people is lost, somebody has to name one. */
const nameAdminAgain = () =>
  cp(join(gateway.state, stateFiles.operatorsTaken), join(gateway.state, stateFiles.operators));

const every = Object.keys(cuts).flatMap((audit) => [true, false].map((database) => ({ database, audit })));
const some = [
  { database: true, audit: 'cut to its end' },
  { database: false, audit: 'removed' },
];

test.each(isLong ? every : some)(
  'A-94, P15: no used id starts again, this start or the next one: the database is lost: $database, the audit is $audit',
  async ({ database, audit }) => {
    await lose(database, audit);
    await gateway.start();
    const fresh = await expectNoSecondStart();
    // If nothing tells of the last minute, ids of the next one are not taken either.
    const isBlind = database && audit !== 'kept';
    expect(fresh).toMatchObject(
      isBlind
        ? {
            starts: 0,
            reason: 'id-too-old',
            text: expect.stringMatching(/records were lost; only ids from \S+Z on/),
          }
        : { starts: 1, reason: '' },
    );
    await gateway.end('SIGKILL');
    await gateway.start();
    await expectNoSecondStart();
    await gateway.end('SIGKILL');
  },
  60_000,
);

test('A-94: a first start takes ids that were made before it, and none that is over a minute ahead', async () => {
  const id = newExecutionId(Date.now() - hour);
  for (const file of files) await rm(join(gateway.state, file), { force: true });
  await nameAdminAgain();
  await gateway.start();
  const [early, ahead] = await tryAll([id, newExecutionId(Date.now() + 2 * minute)]);
  expect(early).toMatchObject({ starts: 1 });
  const text = expect.stringContaining('ahead of the gateway');
  expect(ahead).toMatchObject({ starts: 0, reason: 'id-too-old', text });
  await gateway.end('SIGKILL');
});
