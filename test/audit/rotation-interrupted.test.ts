import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditFiles } from '../../src/audit/audit-files.ts';
import { keyText } from '../../src/audit/hand-over.ts';
import { recordedLink } from '../../src/audit/recorded-link.ts';
import { verifyAudit } from '../../src/audit/verify-audit.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import { attempt, run } from '../lab/command.ts';
import { seeded } from '../scenarios/seeded.ts';

const seed = Number(process.env['CLAWRDEN_SEED'] ?? Date.now() % 1_000_000);
const isLong = process.env['CLAWRDEN_LONG'] === '1';
const program = join(import.meta.dirname, 'rotate-program.ts');

let dir: string;
let library: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-rotation-'));
  library = join(dir, 'fault-calls.so');
  const flags = ['-D_GNU_SOURCE', '-std=c11', '-shared', '-fPIC', '-O1'];
  await run(['gcc', ...flags, '-o', library, join(import.meta.dirname, 'fault-calls.c')]);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

interface Fault {
  readonly kind: 'kill' | 'torn' | 'EIO' | 'ENOSPC';
  readonly at: number;
}

async function newState(): Promise<string> {
  const state = await mkdtemp(join(dir, 'state-'));
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeFile(join(state, stateFiles.signingKey), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return state;
}

async function live(state: string, rotations: number, fault?: Fault) {
  // Every file of the folder: keys, audit, database.
  const where = { FAULT_FOLDER: state, FAULT_NAME: '', FAULT_COUNT: `${state}.count` };
  const what = fault && { FAULT_KIND: fault.kind, FAULT_AT: String(fault.at), FAULT_FOR: '1' };
  const { code, stdout, stderr } = await attempt([process.execPath, program, state, String(rotations)], {
    env: { ...process.env, LD_PRELOAD: library, ...where, ...what },
    timeout: 30_000,
  });
  const said = (wanted: string) =>
    stdout
      .split('\n')
      .flatMap((line) => (line.startsWith(`${wanted} `) ? [line.slice(wanted.length + 1)] : []));
  return { code, stderr, said };
}

async function callsOf(rotations: number): Promise<number> {
  const state = await newState();
  const { code, said } = await live(state, rotations);
  expect({ code, rotated: said('rotated').length }).toEqual({ code: 0, rotated: rotations });
  return Number(await readFile(`${state}.count`, 'utf8'));
}

/** Cut off there; then the next start works, the log verifies with the key in its file, and keys rotate again. */
async function liveThrough(fault: Fault): Promise<string[]> {
  const state = await newState();
  const first = await live(state, 2, fault);
  const again = await live(state, 1);
  expect({ code: again.code, stderr: again.stderr, failed: again.said('failed') }).toEqual({
    ...{ code: 0, stderr: '', failed: [] },
  });
  expect(again.said('rotated')).toHaveLength(1);
  const key = createPrivateKey(await readFile(join(state, stateFiles.signingKey)));
  expect(keyText(createPublicKey(again.said('rotated')[0]?.replaceAll(/ (?!PUBLIC|KEY)/g, '\n') ?? ''))).toBe(
    keyText(key),
  );
  const { link: recorded } = await recordedLink(join(state, stateFiles.database));
  const report = await verifyAudit(await auditFiles(join(state, 'audit.jsonl')), { key, recorded });
  expect(report.problem).toBeUndefined();
  expect(report.vouchedFor).toBe(report.records);
  // What was answered is in the log, and what was not is there at most.
  expect(report.rotations).toBeGreaterThanOrEqual(first.said('rotated').length + 1);
  expect(report.rotations).toBeLessThanOrEqual(3);
  await rm(state, { recursive: true });
  return [first.code === 0 ? 'lived' : 'cut', ...first.said('refused').map(() => 'refused')];
}

const kinds = ['kill', 'torn', 'EIO', 'ENOSPC'] as const;

/** A fault at every second call, each kind in turn; eight seeds in a row try each kind at each call. */
function everySecond(steps: readonly number[]): Fault[] {
  return steps.flatMap((at, index) => {
    const kind = kinds[(Math.floor(index / 2) + Math.floor(seed / 2)) % kinds.length] ?? 'kill';
    return index % 2 === seed % 2 ? [{ kind, at }] : [];
  });
}

test(`A-85 P25: a rotation of the signing key that is cut off or refused at any call leaves a state that starts and a log that verifies (CLAWRDEN_SEED=${seed})`, {
  timeout: isLong ? 1_800_000 : 60_000,
}, async () => {
  const dice = seeded(seed);
  const [without, all] = [await callsOf(0), await callsOf(2)];
  // The records are open before: what opens them is tried by other tests.
  const from = Math.floor(without / 2);
  const steps = Array.from({ length: all - from }, (_, index) => from + 1 + index);
  const faults = isLong
    ? everySecond(steps)
    : Array.from({ length: 3 }, () => ({ kind: dice.oneOf(kinds), at: dice.oneOf(steps) }));
  const seen = new Set<string>();
  const worker = async () => {
    for (let next = faults.pop(); next !== undefined; next = faults.pop()) {
      const fault = next;
      const what = await liveThrough(fault).catch((error: Error) => {
        throw new Error(`${JSON.stringify(fault)}: ${error.message}`, { cause: error });
      });
      for (const each of what) seen.add(each);
    }
  };
  await Promise.all([worker(), worker()]);
  if (isLong) expect([...seen].sort()).toEqual(['cut', 'lived', 'refused']);
});
