import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import { waitUntil } from '../lab/wait.ts';
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
  // Within half a second of the last record; the relay's end is recorded some time after it has closed.
  await waitUntil('the database to know the end of the audit', 30_000, async () => {
    const { seq } = JSON.parse((await auditLines()).at(-1) ?? '');
    return (onDatabase('select seq from audit_position') as { seq: number }).seq === seq;
  });
  await gateway.end('SIGKILL');
  await mkdir(folder());
  for (const file of files) await cp(join(gateway.state, file), join(folder(), file)).catch(() => {});
});
afterEach(() => gateway.end('SIGKILL'));
afterAll(() => gateway?.[Symbol.asyncDispose]());

const folder = () => join(gateway.state, '..', 'killed');
const auditLines = async () => (await readFile(gateway.audit, 'utf8')).split('\n').slice(0, -1);

function onDatabase(statement: string): unknown {
  const database = new SqliteDatabase(join(gateway.state, 'clawrden.db'));
  const prepared = database.prepare(statement);
  const row = prepared.reader ? prepared.get() : prepared.run();
  database.close();
  return row;
}

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

/** What is left of the database. `behind`: it does not know the audit's end, as after a kill within half a second of it. */
type Left = 'lost' | 'kept' | 'behind';

async function lose(database: Left, audit: string): Promise<void> {
  for (const file of files) {
    await rm(join(gateway.state, file), { force: true });
    if (!(database === 'lost' && file.startsWith('clawrden.db')))
      await cp(join(folder(), file), join(gateway.state, file)).catch(() => {});
  }
  if (database === 'lost') await nameAdminAgain();
  const lines = await auditLines();
  if (database === 'behind') putBehind(lines[0]!);
  const left = cuts[audit]?.(lines);
  if (left === undefined) await rm(gateway.audit);
  else await writeFile(gateway.audit, left.map((line) => `${line}\n`).join(''));
}

function putBehind(line: string): void {
  const { seq, hash } = JSON.parse(line);
  onDatabase(`update audit_position set seq = ${seq}, hash = '${hash}'`);
}

/** Where all that knew the people is lost, somebody has to name one. */
const nameAdminAgain = () =>
  cp(join(gateway.state, stateFiles.operatorsTaken), join(gateway.state, stateFiles.operators));

const every = Object.keys(cuts).flatMap((audit) =>
  (['lost', 'kept', 'behind'] as const).map((database) => ({ database, audit })),
);
const some: typeof every = [
  { database: 'lost', audit: 'cut to its end' },
  { database: 'kept', audit: 'removed' },
  { database: 'behind', audit: 'cut in the middle' },
];

/** If nothing tells of the last minute, ids of the next one are not taken either. */
function isBlind({ database, audit }: (typeof every)[number]): boolean {
  if (database === 'lost') return audit !== 'kept';
  // Records are missing between the one that the database knew and the first that is left.
  return database === 'behind' && audit.startsWith('cut');
}

test.each(isLong ? every : some)(
  'A-94, P15: no used id starts again, this start or the next one: the database is $database, the audit is $audit',
  async ({ database, audit }) => {
    await lose(database, audit);
    await gateway.start();
    const fresh = await expectNoSecondStart();
    expect(fresh).toMatchObject(
      isBlind({ database, audit })
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
});
