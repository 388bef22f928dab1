import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditFiles } from '../../src/audit/audit-files.ts';
import { recordedLink } from '../../src/audit/recorded-link.ts';
import { verifyAudit } from '../../src/audit/verify-audit.ts';
import { attempt, run } from '../lab/command.ts';
import { type Dice, seeded } from '../scenarios/seeded.ts';

const seed = Number(process.env['CLAWRDEN_SEED'] ?? Date.now() % 1_000_000);
const isLong = process.env['CLAWRDEN_LONG'] === '1';
const program = join(import.meta.dirname, 'append-program.ts');
const recordsALife = 18;
/** About six records: a run rotates twice. */
const maxBytes = 1800;
const kinds = ['kill', 'torn', 'EIO', 'ENOSPC', 'EMFILE'] as const;

interface Fault {
  readonly kind: (typeof kinds)[number];
  /** The number of the call, from 1. */
  readonly at: number;
  /** How many calls in a row get the error. */
  readonly calls: number;
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
let dir: string;
let library: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-faults-'));
  library = join(dir, 'fault-calls.so');
  const source = join(import.meta.dirname, 'fault-calls.c');
  const flags = ['-D_GNU_SOURCE', '-std=c11', '-shared', '-fPIC', '-O1', '-Wall', '-Wextra', '-Werror'];
  await run(['gcc', ...flags, '-o', library, source]);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function newState(): Promise<string> {
  const state = await mkdtemp(join(dir, 'state-'));
  await writeFile(join(state, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return state;
}

interface Life {
  readonly code: number | null;
  readonly said: (what: string) => string[];
}

async function live(state: string, name: string, fault?: Fault): Promise<Life> {
  const argv = [process.execPath, program, state, name, String(recordsALife), String(maxBytes)];
  const where = { FAULT_FOLDER: state, FAULT_NAME: 'audit', FAULT_COUNT: join(state, 'count') };
  const what = fault && {
    FAULT_KIND: fault.kind,
    FAULT_AT: String(fault.at),
    FAULT_FOR: String(fault.calls),
  };
  const env = { ...process.env, LD_PRELOAD: library, ...where, ...what };
  const { code, stdout, stderr } = await attempt(argv, { env, timeout: 20_000 });
  expect(stderr).toBe('');
  const lines = stdout.split('\n');
  const said = (wanted: string) =>
    lines.flatMap((line) => (line.startsWith(`${wanted} `) ? [line.slice(wanted.length + 1)] : []));
  return { code, said };
}

interface Line {
  readonly type: string;
  readonly incident?: string;
  readonly text: string;
}

async function linesOf(state: string): Promise<Line[]> {
  const files = await auditFiles(join(state, 'audit.jsonl'));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return texts.flatMap((text) =>
    text.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Line] : [])),
  );
}

/** Runs with faults one after the other, and a last one without. */
async function liveThrough(faults: readonly Fault[]): Promise<void> {
  const state = await newState();
  const lives: Life[] = [];
  for (const [index, fault] of faults.entries()) lives.push(await live(state, `life${index}`, fault));
  for (const { code, said } of lives) {
    if (code === 1) expect(said('failed')[0]).toMatch(/^the audit .* cannot be used: E(IO|NOSPC|MFILE)/);
  }
  const last = await live(state, 'last');
  expect({ code: last.code, failed: last.said('failed') }).toEqual({ code: 0, failed: [] });
  const isTorn = faults.some(({ kind }) => kind === 'torn');
  const unforeseen = (told: string) => !(isTorn && told.includes('a record that was not finished'));
  expect(last.said('warned').filter(unforeseen)).toEqual([]);
  const acked = [...lives, last].flatMap(({ said }) => said('acked'));
  const lines = await linesOf(state);
  const texts = lines.flatMap(({ type, text }) => (type === 'lifecycle' ? [text] : []));
  expect(lines.filter(({ incident, text }) => incident !== undefined && unforeseen(text))).toEqual([]);
  // In this order, each once; refused records may stand between them.
  expect(texts.filter((text) => acked.includes(text))).toEqual(acked);
  expect(acked.length).toBeGreaterThanOrEqual(recordsALife);
  const { link: recorded } = await recordedLink(join(state, 'clawrden.db'));
  expect(recorded?.seq).toBeGreaterThanOrEqual(acked.length);
  const files = await auditFiles(join(state, 'audit.jsonl'));
  expect((await verifyAudit(files, { key: publicKey, recorded })).problem).toBeUndefined();
  await rm(state, { recursive: true });
}

async function callsOfALife(): Promise<number> {
  const state = await newState();
  const { said } = await live(state, 'whole');
  expect(said('acked')).toHaveLength(recordsALife);
  expect((await auditFiles(join(state, 'audit.jsonl'))).length).toBeGreaterThan(2);
  return Number(await readFile(join(state, 'count'), 'utf8'));
}

function randomFault(dice: Dice, calls: number): Fault {
  return { kind: dice.oneOf(kinds), at: 1 + dice.below(calls), calls: 1 + dice.below(6) };
}

/** With `--long` each step with each fault, and schedules of several runs. */
function schedules(calls: number): Fault[][] {
  const dice = seeded(seed);
  const several = Array.from({ length: isLong ? 12 : 4 }, () =>
    Array.from({ length: 1 + dice.below(3) }, () => randomFault(dice, calls)),
  );
  if (!isLong) return several;
  return [...Array.from({ length: calls }, (_, index) => eachKind(index + 1, dice)).flat(), ...several];
}

/**
 * All faults at one step, one run after the other, each kind first at every fourth step. A torn write apart: only after
 * that one may a start find a record that is not whole.
 */
function eachKind(at: number, dice: Dice): Fault[][] {
  const fault = (kind: Fault['kind']) => ({ kind, at, calls: 1 + dice.below(3) });
  const whole = kinds.filter((kind) => kind !== 'torn');
  const turned = whole.map((_, index) => whole[(index + at) % whole.length] ?? 'kill');
  return [turned.map(fault), [fault('torn')]];
}

test(`A-85 P25: the audit, cut off or refused at any call that it makes: nothing is overwritten, what was acknowledged is there, the next start works (CLAWRDEN_SEED=${seed})`, {
  timeout: isLong ? 1_800_000 : 60_000,
}, async () => {
  const left = schedules(await callsOfALife());
  const worker = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      await liveThrough(next).catch((error: Error) => {
        throw new Error(`${JSON.stringify(next)}: ${error.message}`, { cause: error });
      });
    }
  };
  await Promise.all([worker(), worker(), worker()]);
});
