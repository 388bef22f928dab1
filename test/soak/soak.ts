import { createPublicKey } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stateFiles } from '../../src/pki/state-files.ts';
import { untilNoOrphans } from '../e2e/fleet.ts';
import type { Lab } from '../lab/lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { countEnds, examplesOf, tallyOf, wrongEnds } from './commands.ts';
import { type Cuts, startCuts } from './cuts.ts';
import { carrierFaults, type Fault, faults } from './faults.ts';
import { eventLogFills, followHealth, type Health, type Trend } from './health.ts';
import { type Ended, type Load, loadContainer, script, scriptFile, startLoad, startsFile } from './load.ts';
import { missingRows, wrongRecords } from './losses.ts';
import { type FindOrphans, watchOrphans } from './orphans.ts';
import { openSoakPage, type SoakPage } from './page.ts';
import { randomFrom } from './random.ts';
import { type HistoryRow, openForMs, readAudit, wrongHistory, wrongLives } from './records.ts';
import { findReleases } from './releases.ts';
import { roamer, roamFile, roamingLoad, roamScript, unequalReplicas, wrongRoams } from './roaming.ts';
import { createUpgrades, describeChanges, launchersOf, type Upgrades } from './upgrades.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** In place of faults: every minute another version of the gateway. */
  readonly upgrades: boolean;
  /** Takes the report, line by line. */
  readonly say: (line: string) => void;
}

export interface SoakReport {
  readonly seed: number;
  readonly minutes: number;
  readonly commands: number;
  /** How many ended in which way. */
  readonly ends: Readonly<Record<string, number>>;
  readonly faults: FaultCounts;
  readonly programs: readonly Trend[];
  /** Everything that did not hold. */
  readonly problems: readonly string[];
}

export interface FaultCounts {
  /** Of parts of the chain, and how many of them met an exchange of a workspace. */
  readonly chain: number;
  readonly inExchanges: number;
  /** Exchanges of two carriers beside the chain that were cut at a frame, to or from one of them. */
  readonly framesTo: number;
  readonly framesFrom: number;
}

interface Soak {
  readonly stack: Stack;
  readonly load: Load;
  /** Of the agent whose workspace no Docker host sees. */
  readonly roaming: Load;
  readonly cuts: Cuts;
  readonly met: { chain: number; inExchanges: number };
  readonly orphans: FindOrphans;
  readonly health: readonly Health[];
  readonly page: SoakPage | undefined;
  readonly upgrades: Upgrades | undefined;
}

const minuteMs = 60_000;
const sampleMs = 5_000;
/** The last part of each minute checks what works again. */
const quietMs = 20_000;
/** Carriers that are killed in each minute after its own fault, and the pause before each. */
const moreFaults = 3;
const betweenMs = 3_000;
const historyTries = 6;

/** With much memory a heap grows for an hour before it is collected, and a leak would not show. */
const smallHeap = { NODE_OPTIONS: '--max-old-space-size=96 --max-semi-space-size=4' };

export async function soak(lab: Lab, options: SoakOptions): Promise<SoakReport> {
  const { minutes, seed, say } = options;
  const releases = options.upgrades ? await findReleases(join(lab.dir, 'other-release'), say) : undefined;
  const launchers = releases && launchersOf(releases);
  const policy = await readFile(join(import.meta.dirname, 'policy.yaml'), 'utf8');
  const agents = {
    coder: { container: loadContainer },
    [roamer]: { container: loadContainer, followed: {} },
  };
  await using stack = await startStack(lab, {
    name: 'soak',
    policy,
    agents,
    host: { warm: 3 },
    env: smallHeap,
    ...(launchers && { launchers }),
  });
  const { coder, [roamer]: second } = stack.agents;
  if (coder === undefined || second === undefined) throw new Error('the stack has no agent');
  await writeFile(join(stack.workspaceOf('coder'), scriptFile), script);
  await writeFile(join(stack.workspaceOf(roamer), roamFile), roamScript);
  const random = randomFrom(seed);
  const health = [
    followHealth('gateway', () => stack.gateway.pid, { fills: eventLogFills }),
    followHealth('relay', () => stack.relay.pid),
  ];
  // A gateway of another version knows no session: a page would be signed in again every minute.
  await using page = options.upgrades ? undefined : await openSoakPage(stack);
  if (page !== undefined) health.push(page.health);
  else if (!options.upgrades)
    say('no Chromium is installed: no page of the dashboard is open beside the load');
  const orphans = watchOrphans(lab, () => stack.gateway.pid);
  const load = startLoad(coder, randomFrom(seed + 1));
  const run: Soak = {
    stack,
    load,
    roaming: startLoad(second, randomFrom(seed + 2), roamingLoad(stack.workspaceOf(roamer))),
    cuts: startCuts(seed),
    met: { chain: 0, inExchanges: 0 },
    orphans,
    health,
    page,
    upgrades: releases && launchers && createUpgrades(stack, launchers, releases, random),
  };
  say(`seed ${seed}, ${minutes} minutes, 6 commands a second at most`);
  const problems = new Set<string>();
  const note = (found: readonly string[]) => {
    for (const problem of found) if (!problems.has(problem)) say(`  wrong: ${problem}`);
    for (const problem of found) problems.add(problem);
  };
  const plan = run.upgrades?.faults ?? faults(lab, stack, random);
  const more = carrierFaults(lab, stack, random);
  const moreOf = run.upgrades === undefined ? moreFaults : 0;
  for (let minute = 1; minute <= minutes; minute++) {
    const [before, roamedBefore] = [run.load.ended.length, run.roaming.ended.length];
    const fault = plan.next().value;
    note(await oneMinute(run, [fault, ...Array.from({ length: moreOf }, () => more.next().value)], random));
    const ended = run.load.ended.slice(before);
    const roamed = run.roaming.ended.slice(roamedBefore);
    note(await whatIsWrong(run));
    note(run.upgrades?.wrong([...ended, ...roamed]) ?? []);
    const tally = tallyOf([...ended, ...roamed]);
    note(run.cuts.problems);
    say(`minute ${minute}: ${fault.name}: ${tally}; ${problems.size} wrong so far`);
    for (const example of examplesOf([...ended, ...roamed])) say(`  ${example}`);
  }
  note(await ending(lab, run));
  if (run.upgrades !== undefined) say(describeChanges(run.upgrades.changes));
  const programs = run.health.map(({ trend }) => trend());
  note(programs.filter(({ grows }) => grows).map(({ program }) => `${program}: grows`));
  const ended = [...run.load.ended, ...run.roaming.ended];
  const { to: framesTo, from: framesFrom } = run.cuts.counts;
  return {
    ...{ seed, minutes, commands: ended.length, ends: countEnds(ended) },
    ...{ faults: { ...run.met, framesTo, framesFrom }, programs, problems: [...problems] },
  };
}

/** Its faults one after the other, the first at a moment of its first quarter; commands continue all the time. */
async function oneMinute(run: Soak, planned: readonly Fault[], random: () => number): Promise<string[]> {
  const end = performance.now() + minuteMs;
  const problems: string[] = [];
  const happening = happenAll(run, planned, random() * 15_000, end - quietMs);
  // Awaited at the end of the minute: until then its rejection would be unhandled and end the process.
  happening.catch(() => {});
  let quietFrom: readonly [number, number] | undefined;
  while (performance.now() < end) {
    if (quietFrom === undefined && performance.now() > end - quietMs)
      quietFrom = [run.load.ended.length, run.roaming.ended.length];
    await Promise.all(run.health.map(({ sample }) => sample()));
    problems.push(...(await run.orphans()));
    await sleep(Math.min(sampleMs, Math.max(0, end - performance.now())));
  }
  await happening;
  const [from, roamedFrom] = quietFrom ?? [0, 0];
  const last = [...run.load.ended.slice(from), ...run.roaming.ended.slice(roamedFrom)];
  return [...problems, ...notWorking(last, planned)];
}

/** None begins so late that the part would not be back before the minute's last part. */
async function happenAll(
  { met }: Soak,
  planned: readonly Fault[],
  afterMs: number,
  until: number,
): Promise<void> {
  await sleep(afterMs);
  for (const { happen } of planned) {
    if (performance.now() > until) return;
    const what = await happen();
    if (what === 'exchange') met.inExchanges++;
    if (what !== undefined) met.chain++;
    await sleep(betweenMs);
  }
}

function notWorking(last: readonly Ended[], planned: readonly Fault[]): string[] {
  const works = (kind: string) => last.some(({ token, code }) => token.startsWith(kind) && code === 0);
  const names = planned.map(({ name }) => name).join(', ');
  const kinds = [
    { kind: 'g', what: 'no ghost' },
    { kind: 'm', what: 'no mirror' },
    { kind: 'r', what: 'no command in a replica' },
  ];
  return kinds
    .filter(({ kind }) => !works(kind))
    .map(({ what }) => `${what} ran in the ${quietMs / 1000} s at the end of the minute with: ${names}`);
}

/** Everything that can be checked while commands run. */
async function whatIsWrong({ stack, load, roaming, upgrades }: Soak): Promise<string[]> {
  const state = join(stack.dir, 'warden');
  // Each list is read before the one that must already contain its entries.
  const [ended, roamed, now] = [[...load.ended], [...roaming.ended], Date.now()];
  const starts = await readFile(join(stack.workspaceOf('coder'), startsFile), 'utf8').catch(() => '');
  const key = createPublicKey(await readFile(join(state, stateFiles.signingKey)));
  const earlier = await history(stack);
  const audit = await readAudit(join(state, 'audit.jsonl'), join(stack.dir, 'audit-read.jsonl'), key);
  const rows = await history(stack);
  const late = [...load.open, ...roaming.open].filter(([, typed]) => Date.now() - typed > openForMs);
  return [
    ...wrongEnds(ended, starts.split('\n').filter(Boolean)),
    ...wrongRoams(roamed, stack.workspaceOf(roamer)),
    ...late.map(([token]) => `${token}: its shim goes on after ${openForMs / 1000} s`),
    ...(audit.problem === '' ? [] : [audit.problem]),
    ...wrongLives(audit.lines, Date.now()),
    ...wrongHistory(audit.lines, earlier),
    ...wrongRecords([...ended, ...roamed], audit.lines, upgrades?.changes, now),
    ...missingRows(audit.lines, rows, now),
  ];
}

/** On a machine that is busy elsewhere, the command line gives up after 10 s. */
async function history(stack: Stack): Promise<HistoryRow[]> {
  for (let tries = historyTries; ; tries--) {
    const { code, stdout, stderr } = await stack.cli([
      'history',
      '--json',
      '--since',
      '4m',
      '--limit',
      '1000',
    ]);
    if (code === 0) return JSON.parse(stdout) as HistoryRow[];
    if (tries === 1) throw new Error(`clawrden history: ${stderr}`);
  }
}

/** No new command: every one ends, and every ghost goes except those that wait. */
async function ending(lab: Lab, run: Soak): Promise<string[]> {
  await Promise.all([run.load.stop(), run.roaming.stop(), run.cuts.stop()]);
  const orphans = await untilNoOrphans(lab, run.stack).then(
    () => [],
    (error: Error) => [error.message],
  );
  const { problems } = run.cuts;
  const complaints = (run.page?.complaints ?? []).map((complaint) => `the page complained: ${complaint}`);
  return [
    ...orphans,
    ...problems,
    ...complaints,
    ...(await unequalReplicas(lab, run.stack)),
    ...(await whatIsWrong(run)),
  ];
}
