import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createApprovalStore } from '../approvals/approval-store.ts';
import { openGrants } from '../approvals/grants.ts';
import type { Approvers } from '../ports/approvers.ts';
import { copyOf } from './copy-before-upgrade.ts';
import { openDatabase } from './database.ts';
import { wasEnrolled } from './enrolment-tokens.ts';
import { openHistory } from './history.ts';
import { migrations } from './migrations.ts';

/** Everybody may say yes, for all agents, and each principal is a person of its own. */
const anyApprover: Approvers = {
  rightOf: () => ({ role: 'admin', stamp: '1/0' }),
  personOf: (principal) => principal,
};

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-store-'));
  file = join(dir, 'clawrden.db');
});
afterEach(() => rmSync(dir, { recursive: true }));

// In the order in which they run.
const names = Object.keys(migrations).toSorted();

/**
 * A database of a gateway that knew only the first `count` migrations, with one execution, and one question if it had
 * any.
 */
async function databaseOf(count: number): Promise<void> {
  const sqlite = new SqliteDatabase(file);
  // Most of the test's time: nothing of it has to outlive this machine.
  sqlite.pragma('synchronous = off');
  const database = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) });
  const known = Object.fromEntries(names.slice(0, count).map((name) => [name, migrations[name]!]));
  const provider = { getMigrations: () => Promise.resolve(known) };
  const { error } = await new Migrator({ db: database, provider }).migrateToLatest();
  expect(error).toBeUndefined();
  await sql`insert into executions (caller, id, agent, argv, cwd, state, decision, rule, decision_reason, strategy, host,
      container, plan_hash, plan, approval_id, approver, outcome, reason, text, uid, gid, exit_code, exit_signal,
      stdout_bytes, stderr_bytes, received_at, ended_at)
    values ('relay:host-1', 'e1', 'coder', '["ls","-l"]', '/app', 'ended', 'allow', 'look', '', 'mirror', 'host-1', 'c',
      'h', '{}', '', '', 'exited', '', '', 1000, 1000, 3, 0, 12, 0, 1, 2)`.execute(database);
  if (count > names.indexOf('0003-approvals')) {
    await sql`insert into approvals (id, execution_id, caller, agent, plan_hash, plan, rule, reason, context, state,
        verdict_by, verdict_via, verdict_reason, created_at, expires_at)
      values ('a1', 'e2', 'relay:host-1', 'coder', 'h', '{}', 'r', '', '{}', 'pending', '', '', '', 1,
        ${Date.now() + 60_000})`.execute(database);
  }
  await database.destroy();
}

test.each(names.map((name, index) => [name, index + 1] as const))(
  'what a gateway left that knew no more than %s is brought up to date, and nothing of it is lost',
  async (_name, count) => {
    await databaseOf(count);
    for (const _ of ['brought up to date', 'as it is']) {
      const database = await openDatabase(file, 'crash');
      const waiting = await createApprovalStore(database).unfinished();
      expect(waiting.map(({ id }) => id)).toEqual(count > names.indexOf('0003-approvals') ? ['a1'] : []);
      expect(await wasEnrolled(database, 'relay:host-1')).toBe(
        count < names.indexOf('0016-enrolled-relays') + 1,
      );
      const history = openHistory(database);
      expect(await history.find('e1')).toMatchObject({
        ...{ agent: 'coder', argv: ['ls', '-l'], state: 'ended', exitCode: 3, stdoutBytes: 12, endedAt: 2 },
      });
      await history.close();
    }
  },
);

test("P15 P27: what an operator of before did is a person's, and its ids stay known", async () => {
  await databaseOf(names.indexOf('0019-persons'));
  const before = "set caller = 'operator:ann', approver = 'operator:admin'";
  inFile((sqlite) => {
    sqlite.exec(`update executions ${before}`);
    sqlite.exec("update approvals set caller = 'operator:ann'");
    sqlite.exec("insert into grants values ('coder', 'h', 'operator:admin', 9e15)");
    sqlite.exec("insert into drained_hosts values ('h', 'breaker:operator', '', 1)");
  });
  const database = await openDatabase(file, 'crash');
  const grants = await openGrants(database, { append: async () => {}, unkept: () => {} }, anyApprover);
  expect(grants.of('coder', 'h', '')).toMatchObject([
    { id: expect.stringMatching(/^[0-9a-f]{16}$/), by: ['person:admin'] },
  ]);
  expect((await createApprovalStore(database).find('a1'))?.caller).toBe('person:ann');
  const drained = await database.selectFrom('drained_hosts').select('set_by').execute();
  expect(drained).toEqual([{ set_by: 'breaker:operator' }]);
  const history = openHistory(database);
  expect(await history.has('person:ann', 'e1')).toBe(true);
  expect(await history.find('e1', 'person:ann')).toMatchObject({ approver: 'person:admin' });
  await history.close();
});

test('connections of before are counted in rows', async () => {
  await databaseOf(names.indexOf('0043-connection-count'));
  const places = [
    { to: 'a.example:443', times: 3 },
    { to: '', outcome: 'other', times: 40 },
  ];
  inFile((sqlite) => sqlite.prepare('update executions set connections = ?').run(JSON.stringify(places)));
  const history = openHistory(await openDatabase(file, 'crash'));
  const rows = await Array.fromAsync(history.page({ agent: '', since: undefined, decision: '', limit: 10 }));
  expect(rows.map(({ record }) => record.connectionCount)).toEqual([43]);
  await history.close();
});

test('A-410: what was recorded before counts for its agent, so far as the history knows it', async () => {
  await databaseOf(names.indexOf('0048-rooms-by-agent'));
  inFile((sqlite) => {
    const output = "1, 100, 0, 0, x'00', x'', x'', x''";
    sqlite.exec(
      `insert into outputs values ('relay:host-1', 'e1', ${output}), ('relay:host-1', 'gone', ${output})`,
    );
    const part = "1, 50, 1, 0, 0, x'00'";
    sqlite.exec(
      `insert into recordings values ('relay:host-1', 'e1', 0, ${part}), ('relay:host-1', 'e1', 1, ${part})`,
    );
    sqlite.exec(`insert into detached (caller, id, started_at, ended_at, bytes, no_input, outcome, plan_hash, host,
      container, was_started, stdout_truncated, stderr_truncated, input, stdout, stderr)
      values ('program:ci', 'd', 1, 2, 30, 0, '', '', '', '', 1, 0, 0, x'', x'', x'')`);
  });
  const database = await openDatabase(file, 'crash');
  const sizes = await database
    .selectFrom('room_sizes')
    .selectAll()
    .orderBy('room')
    .orderBy('owner')
    .execute();
  expect(sizes).toEqual([
    { room: 'detached', owner: 'program:ci', bytes: 286 },
    { room: 'outputs', owner: '', bytes: 356 },
    { room: 'outputs', owner: 'coder', bytes: 356 },
    { room: 'recordings', owner: 'coder', bytes: 612 },
  ]);
  await database.destroy();
});

test('what a later gateway left is not touched', async () => {
  await databaseOf(names.length);
  const later = new SqliteDatabase(file);
  later.exec("insert into kysely_migration (name, timestamp) values ('9999-later', '')");
  later.close();
  await expect(openDatabase(file, 'crash')).rejects.toThrow(
    `the database ${file} cannot be used: a later version has written it; start that one, or put a backup`,
  );
});

test('P25: an upgrade that fails at any table leaves nothing of itself, and is made anew', async () => {
  await (await openDatabase(file, 'crash')).destroy();
  const latest = tablesOf();
  rmSync(file);
  await databaseOf(1);
  const before = tablesOf();
  const added = latest.filter((table) => !before.includes(table));
  expect(added).toContain('history_sizes');
  for (const table of added) {
    inFile((sqlite) => sqlite.exec(`create table ${table} (something)`));
    await expect(openDatabase(file, 'crash')).rejects.toThrow('already exists');
    inFile((sqlite) => sqlite.exec(`drop table ${table}`));
    expect(tablesOf()).toEqual(before);
  }
  await (await openDatabase(file, 'crash')).destroy();
  expect(tablesOf()).toEqual(latest);
});

test('an upgrade keeps a copy of what was there, for the gateway alone, and the last one only', async () => {
  await (await openDatabase(file, 'crash')).destroy();
  // What is new has nothing to keep.
  expect(existsSync(copyOf(file))).toBe(false);
  for (const count of [5, names.length - 1]) {
    rmSync(file);
    await databaseOf(count);
    await (await openDatabase(file, 'crash')).destroy();
    expect(statSync(copyOf(file)).mode & 0o777).toBe(0o600);
    expect(namesIn(copyOf(file))).toEqual(names.slice(0, count));
    expect(namesIn(file)).toEqual(names);
  }
  rmSync(copyOf(file));
  await (await openDatabase(file, 'crash')).destroy();
  expect(existsSync(copyOf(file))).toBe(false);
});

test('the copy in place of the database is what it was before, and can be upgraded again', async () => {
  await databaseOf(5);
  const before = tablesOf();
  await (await openDatabase(file, 'crash')).destroy();
  renameSync(copyOf(file), file);
  expect(tablesOf()).toEqual(before);
  const history = openHistory(await openDatabase(file, 'crash'));
  expect(await history.find('e1')).toMatchObject({ agent: 'coder', argv: ['ls', '-l'], exitCode: 3 });
  await history.close();
});

test('P25: a copy that was cut off is made anew, and without a copy nothing is upgraded', async () => {
  await databaseOf(5);
  const before = tablesOf();
  const unfinished = `${copyOf(file)}.unfinished`;
  mkdirSync(unfinished);
  await expect(openDatabase(file, 'crash')).rejects.toThrow(
    `the database ${file} is not upgraded: no copy of it`,
  );
  expect(tablesOf()).toEqual(before);
  rmSync(unfinished, { recursive: true });
  writeFileSync(unfinished, 'the beginning of another copy');
  await (await openDatabase(file, 'crash')).destroy();
  expect(existsSync(unfinished)).toBe(false);
  expect(namesIn(copyOf(file))).toEqual(names.slice(0, 5));
});

test('P25: a copy that finds no room leaves nothing of itself, and nothing is upgraded', async () => {
  await databaseOf(5);
  const before = tablesOf();
  const unfinished = `${copyOf(file)}.unfinished`;
  symlinkSync('/dev/full', unfinished);
  await expect(openDatabase(file, 'crash')).rejects.toThrow('is not upgraded: no copy of it');
  expect(readdirSync(dir).filter((name) => name.includes('before-upgrade'))).toEqual([]);
  expect(tablesOf()).toEqual(before);
});

/** The migrations that a whole database has had. */
function namesIn(path: string): string[] {
  const sqlite = new SqliteDatabase(path, { readonly: true });
  try {
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    const query = 'select name from kysely_migration order by name';
    return sqlite
      .prepare<[], { name: string }>(query)
      .all()
      .map(({ name }) => name);
  } finally {
    sqlite.close();
  }
}

function inFile<T>(act: (sqlite: SqliteDatabase.Database) => T): T {
  const sqlite = new SqliteDatabase(file);
  try {
    return act(sqlite);
  } finally {
    sqlite.close();
  }
}

function tablesOf(): string[] {
  const query =
    "select name from sqlite_master where type = 'table' and name not like 'sqlite!_%' escape '!' order by name";
  return inFile((sqlite) =>
    sqlite
      .prepare<[], { name: string }>(query)
      .all()
      .map(({ name }) => name),
  );
}
