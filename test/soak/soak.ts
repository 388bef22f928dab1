import { createPublicKey } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stateFiles } from '../../src/pki/state-files.ts';
import { untilNoOrphans } from '../e2e/fleet.ts';
import type { Lab } from '../lab/lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { countEnds, tallyOf, wrongEnds } from './commands.ts';
import { type Fault, faults } from './faults.ts';
import { followHealth, type Health, type Trend } from './health.ts';
import { type Ended, type Load, loadContainer, script, scriptFile, startLoad, startsFile } from './load.ts';
import { type FindOrphans, watchOrphans } from './orphans.ts';
import { randomFrom } from './random.ts';
import { type HistoryRow, readAudit, wrongHistory, wrongLives } from './records.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Takes the report, line by line. */
  readonly say: (line: string) => void;
}

export interface SoakReport {
  readonly seed: number;
  readonly minutes: number;
  readonly commands: number;
  /** How many ended in which way. */
  readonly ends: Readonly<Record<string, number>>;
  readonly programs: readonly Trend[];
  /** Everything that did not hold. */
  readonly problems: readonly string[];
}

interface Soak {
  readonly stack: Stack;
  readonly load: Load;
  readonly orphans: FindOrphans;
  readonly health: readonly Health[];
}

const minuteMs = 60_000;
const sampleMs = 5_000;
/** The last part of each minute checks what works again. */
const quietMs = 20_000;

/** With much memory a heap grows for an hour before it is collected, and a leak would not show. */
const smallHeap = { NODE_OPTIONS: '--max-old-space-size=96 --max-semi-space-size=4' };

export async function soak(lab: Lab, { minutes, seed, say }: SoakOptions): Promise<SoakReport> {
  const policy = await readFile(join(import.meta.dirname, 'policy.yaml'), 'utf8');
  const agents = { coder: { container: loadContainer } };
  await using stack = await startStack(lab, {
    name: 'soak',
    policy,
    agents,
    host: { warm: 3 },
    env: smallHeap,
  });
  const { coder } = stack.agents;
  if (coder === undefined) throw new Error('the stack has no agent');
  await writeFile(join(stack.workspaceOf('coder'), scriptFile), script);
  const random = randomFrom(seed);
  const health = [
    followHealth('gateway', () => stack.gateway.pid),
    followHealth('relay', () => stack.relay.pid),
  ];
  const orphans = watchOrphans(lab, () => stack.gateway.pid);
  const run: Soak = { stack, load: startLoad(coder, randomFrom(seed + 1)), orphans, health };
  say(`seed ${seed}, ${minutes} minutes, 5 commands a second`);
  const problems = new Set<string>();
  const note = (found: readonly string[]) => {
    for (const problem of found) problems.add(problem);
  };
  const plan = faults(lab, stack, random);
  for (let minute = 1; minute <= minutes; minute++) {
    const before = run.load.ended.length;
    const fault = plan.next().value;
    note(await oneMinute(run, fault, random() * 15_000));
    const ended = run.load.ended.slice(before);
    note(await whatIsWrong(run));
    say(`minute ${minute}: ${fault.name}: ${tallyOf(ended)}; ${problems.size} wrong so far`);
  }
  note(await ending(lab, run));
  const programs = run.health.map(({ trend }) => trend());
  note(programs.filter(({ grows }) => grows).map(({ program }) => `${program}: grows`));
  const { ended } = run.load;
  return { seed, minutes, commands: ended.length, ends: countEnds(ended), programs, problems: [...problems] };
}

/** One fault, at a moment of its first quarter; commands continue all the time. */
async function oneMinute(run: Soak, fault: Fault, afterMs: number): Promise<string[]> {
  const end = performance.now() + minuteMs;
  const problems: string[] = [];
  const happening = sleep(afterMs).then(fault.happen);
  // Awaited at the end of the minute: until then its rejection would be unhandled and end the process.
  happening.catch(() => {});
  let quietFrom: number | undefined;
  while (performance.now() < end) {
    if (quietFrom === undefined && performance.now() > end - quietMs) quietFrom = run.load.ended.length;
    await Promise.all(run.health.map(({ sample }) => sample()));
    problems.push(...(await run.orphans()));
    await sleep(Math.min(sampleMs, Math.max(0, end - performance.now())));
  }
  await happening;
  const last = run.load.ended.slice(quietFrom ?? 0);
  return [...problems, ...notWorking(last, fault)];
}

function notWorking(last: readonly Ended[], { name }: Fault): string[] {
  const works = (kind: string) => last.some(({ token, code }) => token.startsWith(kind) && code === 0);
  const kinds = [
    { kind: 'g', what: 'no ghost' },
    { kind: 'm', what: 'no mirror' },
  ];
  return kinds
    .filter(({ kind }) => !works(kind))
    .map(({ what }) => `${what} ran in the ${quietMs / 1000} s at the end of the minute with: ${name}`);
}

/** Everything that can be checked while commands run. */
async function whatIsWrong({ stack, load }: Soak): Promise<string[]> {
  const state = join(stack.dir, 'warden');
  // Each list is read before the one that must already contain its entries.
  const ended = [...load.ended];
  const starts = await readFile(join(stack.workspaceOf('coder'), startsFile), 'utf8').catch(() => '');
  const key = createPublicKey(await readFile(join(state, stateFiles.signingKey)));
  const rows = await history(stack);
  const audit = await readAudit(join(state, 'audit.jsonl'), join(stack.dir, 'audit-read.jsonl'), key);
  const late = [...load.open].filter(([, typed]) => Date.now() - typed > minuteMs);
  return [
    ...wrongEnds(ended, starts.split('\n').filter(Boolean)),
    ...late.map(([token]) => `${token}: its shim goes on after a minute`),
    ...(audit.problem === '' ? [] : [audit.problem]),
    ...wrongLives(audit.lines, Date.now()),
    ...wrongHistory(audit.lines, rows),
  ];
}

async function history(stack: Stack): Promise<HistoryRow[]> {
  const { code, stdout, stderr } = await stack.cli(['history', '--json', '--since', '2m', '--limit', '1000']);
  if (code !== 0) throw new Error(`clawrden history: ${stderr}`);
  return JSON.parse(stdout) as HistoryRow[];
}

/** No new command: every one ends, and every ghost goes except those that wait. */
async function ending(lab: Lab, run: Soak): Promise<string[]> {
  await run.load.stop();
  const orphans = await untilNoOrphans(lab, run.stack).then(
    () => [],
    (error: Error) => [error.message],
  );
  return [...orphans, ...(await whatIsWrong(run))];
}
