import { generateKeyPairSync } from 'node:crypto';
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApprovalStore } from '../../gateway/approvals/approval-store.ts';
import { openRecords } from '../../gateway/start/open-records.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { databaseFault } from '../../gateway/store/database-fault.ts';
import { loadGatewayConfig } from '../../src/config/load-gateway-config.ts';
import { attempt } from '../lab/command.ts';
import { seeded } from '../scenarios/seeded.ts';
import { makeGatewaySite } from '../stack/gateway-site.ts';
import { launcher } from '../stack/launcher.ts';

const seed = Number(process.env['CLAWRDEN_SEED'] ?? Date.now() % 1_000_000);
const isLong = process.env['CLAWRDEN_LONG'] === '1';
// Root may read every file, unless that capability is dropped.
const plain = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

const { privateKey } = generateKeyPairSync('ed25519');
let dir: string;
/** As a stopped gateway left it. */
let state: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-unreadable-'));
  state = join(dir, 'state');
  const site = await makeGatewaySite(state, { under: plain });
  await using gateway = await site.start();
  await gateway.end('SIGTERM');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const argvOf = (folder: string) => [
  ...plain,
  process.execPath,
  launcher,
  'gateway',
  '--config',
  join(folder, 'gateway.yaml'),
];

const db = 'clawrden.db';
const audit = 'audit.jsonl';

interface Broken {
  readonly what: string;
  readonly file: string;
  readonly does: (file: string) => Promise<unknown>;
  readonly says: string;
}

const broken: readonly Broken[] = [
  { what: 'no database', file: db, does: (file) => writeFile(file, 'x'.repeat(5000)), says: 'put a backup' },
  {
    what: 'a folder',
    file: db,
    does: (file) => rm(file).then(() => mkdir(file)),
    says: 'it is a folder; move',
  },
  {
    what: 'closed to the gateway',
    file: db,
    does: (file) => chmod(file, 0),
    says: "the gateway's user's own",
  },
  {
    what: 'not to be written',
    file: db,
    does: (file) => chmod(file, 0o400),
    says: "the gateway's user's own",
  },
  { what: 'cut short', file: db, does: (file) => truncate(file, 5000), says: 'put a backup' },
  { what: 'of a later version', file: db, does: laterVersion, says: 'a later version has written it' },
  {
    what: 'a folder',
    file: audit,
    does: (file) => rm(file).then(() => mkdir(file)),
    says: 'not a regular file',
  },
  { what: 'a link', file: audit, does: linkIt, says: 'it is not a regular file' },
  {
    what: 'closed to the gateway',
    file: audit,
    does: (file) => chmod(file, 0),
    says: "the gateway's user's own",
  },
  { what: 'no audit', file: audit, does: (file) => appendFile(file, 'x\n'), says: 'under another name' },
];

function laterVersion(file: string): Promise<void> {
  const later = new SqliteDatabase(file);
  later.exec("insert into kysely_migration (name, timestamp) values ('9999-later', '')");
  later.close();
  return Promise.resolve();
}

async function linkIt(file: string): Promise<void> {
  await rename(file, `${file}.real`);
  await symlink(`${file}.real`, file);
}

async function breakOne({ file, does }: Broken): Promise<string> {
  const copy = await mkdtemp(join(dir, 'copy-'));
  await cp(state, copy, { recursive: true, preserveTimestamps: true });
  await does(join(copy, file));
  return copy;
}

const oneLine = /^the (database|audit) [^\n]+ cannot be used: [^\n]+; [^\n]+$/;

/** Only a process without root's capability to read everything meets these. */
const isClosed = ({ what }: Broken) => what.includes(' to ');
const sample = [...broken.filter(isClosed), ...broken.slice(0, 1)];

test.each(broken.filter((one) => !isClosed(one)))(
  'A-91: $file is $what: one line has the file, the fault and the way out',
  async (one) => {
    const copy = await breakOne(one);
    const config = loadGatewayConfig(join(copy, 'gateway.yaml'));
    const error: unknown = await openRecords(config, privateKey, '').catch((thrown: unknown) => thrown);
    expect((error as Error).message).toMatch(oneLine);
    expect((error as Error).message).toContain(join(copy, one.file));
    expect((error as Error).message).toContain(one.says);
  },
);

test.each(sample)(
  'A-91: $file is $what: the gateway says so and ends with status 1',
  { timeout: 60_000 },
  async (one) => {
    const copy = await breakOne(one);
    const { code, stdout, stderr } = await attempt(argvOf(copy), { timeout: 40_000 });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const [, line = ''] = /^clawrden: gateway: (.*)\n$/.exec(stderr) ?? [];
    expect(line).toMatch(oneLine);
    expect(line).toContain(join(copy, one.file));
    expect(line).toContain(one.says);
  },
);

test(`A-91: a damaged page anywhere in the database is one line, or does no harm (CLAWRDEN_SEED=${seed})`, async () => {
  const dice = seeded(seed);
  const whole = await readFile(join(state, db));
  const line = /^the database \S+ cannot be used: [^\n]+; [^\n]+$/;
  let faults = 0;
  for (let round = 0; round < (isLong ? 500 : 40); round += 1) {
    const file = join(await mkdtemp(join(dir, 'page-')), db);
    const bytes = Buffer.from(whole);
    const at = dice.below(bytes.length);
    for (let i = at; i < Math.min(at + 1 + dice.below(4096), bytes.length); i += 1)
      bytes[i] = dice.below(256);
    await writeFile(file, dice.below(4) === 0 ? bytes.subarray(0, at) : bytes);
    try {
      const database = await openDatabase(file, 'crash');
      try {
        await createApprovalStore(database).unfinished();
        await database.selectFrom('executions').selectAll().execute();
        await database.selectFrom('agent_states').selectAll().execute();
      } finally {
        await database.destroy();
      }
    } catch (error) {
      faults += 1;
      expect((databaseFault(file, error) as Error).message).toMatch(line);
    }
  }
  expect(faults).toBeGreaterThan(5);
});
