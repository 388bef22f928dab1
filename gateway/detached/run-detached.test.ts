import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFaults } from '../../src/faults.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { StartRequest } from '../ports/channel.ts';
import type { Principal } from '../ports/principal.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createDetachedRows } from '../store/detached-rows.ts';
import { createDetached, type OpenDetached } from './run-detached.ts';

const caller: Principal = { kind: 'program', name: 'ci', role: 'orchestrator', scope: {} };
const own = 'program:ci';
const identity = { uid: 1000, gid: 1000 };
const command = { argv: ['job'], cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'pipe'] };
const request = (executionId: string) =>
  ({ executionId, agent: '', command, identity, hostLabels: {} }) as unknown as StartRequest;
const output = Buffer.alloc(500_000, 97);
const later = { timeout: 5000 };

let dir: string;
let database: Database;
let detached: OpenDetached;
let warnings: unknown[];
let faults: ReturnType<typeof createFaults>;
let end: (outcome: Outcome) => void;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-ends-'));
  database = await openDatabase(join(dir, 'clawrden.db'), 'power-loss');
  faults = createFaults({ error: () => {} });
  warnings = [];
  const ended = Promise.withResolvers<Outcome>();
  end = ended.resolve;
  detached = createDetached({
    execute: async (_caller, _request, channel) => {
      await channel.send({ type: 'accepted', planHash: 'h' });
      await channel.send({ type: 'stdout', bytes: output });
      return ended.promise;
    },
    resume: () => Promise.reject(new Error('nothing waits')),
    ledger: { running: () => [] },
    history: { get: async () => undefined },
    ...{ rows: createDetachedRows(database), inForce: () => new Set([own]), faults },
    log: { warn: (entry: unknown) => void warnings.push(entry) },
  });
});
afterEach(async () => {
  await detached.close();
  await database.destroy();
  await rm(dir, { recursive: true, force: true });
});

/** SQLite fails as it does on a full disk: the file gets no page more. */
const fill = () => sql`pragma max_page_count = 1`.execute(database);
const free = () => sql`pragma max_page_count = 1000000`.execute(database);
const onDisk = (id: string) => createDetachedRows(database).find(own, id);

test('A-518: what ends while the disk is full has its result at once, and on the disk once there is room', async () => {
  await detached.start(caller, request('e-1'), undefined);
  await detached.start(caller, request('e-2'), undefined);
  expect(await detached.result(own, 'e-1')).toBe('pending');
  await fill();
  end({ kind: 'exited', code: 3, signal: 0 });
  const result = { outcome: { kind: 'exited', code: 3 }, planHash: 'h' };
  for (const id of ['e-1', 'e-2']) {
    await expect.poll(() => detached.result(own, id)).toMatchObject(result);
    expect(detached.underway(own, id)).toBeUndefined();
    expect(await onDisk(id)).toBe('pending');
  }
  await expect.poll(() => warnings).toEqual([{ error: 'database or disk is full', suppressed: 0 }]);
  await free();
  for (const id of ['e-1', 'e-2']) await expect.poll(() => onDisk(id), later).toMatchObject(result);
  expect(await detached.result(own, 'e-1')).toMatchObject({ stdout: { bytes: output } });
  expect([warnings.length, faults.count()]).toEqual([1, 0]);
});

test('A-518: a result that could not be written is written at the stop', async () => {
  await detached.start(caller, request('e-1'), undefined);
  await fill();
  end({ kind: 'exited', code: 0, signal: 0 });
  await expect.poll(() => warnings).toHaveLength(1);
  await free();
  await detached.close();
  expect(await onDisk('e-1')).toMatchObject({ outcome: { kind: 'exited' } });
});
