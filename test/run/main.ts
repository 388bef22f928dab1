import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endLeftovers, leftovers, traces } from './leftovers.ts';
import { fastSteps, namedSteps, type Step, type StepOptions, steps } from './steps.ts';
import { inWords, oneSkipped, sum, type Tally } from './tally.ts';
import { leftOut, leftOutFast, sampledOnly, turnOf, turns } from './turns.ts';

const usage = `usage: scripts/test [--long | --fast | PATH...]

Builds, lints, type-checks and runs every test; ends with one line, N passed, M failed.
  --long   every slow file, full counts in place of seeded tenths, and a soak (90 minutes at most)
  --fast   types, lint without rules that need types, and the unit tests, which start no process (a minute at most)
  PATH...  only the test files whose path contains one of these words

Of the slow files it takes every sixth, and with --long of the largest counts every twelfth in full: those of
CLAWRDEN_TURN (0 to ${turns - 1}), or of the commit; with --fast every sixth of the slower unit tests.
With PATH it takes all that it names.
`;

const checkout = join(import.meta.dirname, '../..');
const { long, fast, paths, help, turn } = options();
if (help) {
  process.stdout.write(usage);
  process.exit(0);
}

const traced = { checkout, mark: `CLAWRDEN_TEST_RUN=${randomUUID()}` };
const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupt.abort());

const before = await traces(traced);
const temporary = await mkdtemp(join(tmpdir(), 'clawrden-test-'));
// Like /tmp, because tests run programs of other users in it.
await chmod(temporary, 0o1777);
const others = {
  leftOut: turn === undefined || long ? [] : fast ? leftOutFast(turn) : leftOut(turn),
  sampledOnly: turn === undefined || !long ? [] : sampledOnly(turn),
};
const whose = long ? 'full counts' : 'slow files';
if (turn !== undefined) process.stdout.write(`turn ${turn} of 0 to ${turns - 1} for ${whose}\n`);
const tallies: Tally[] = [
  ...others.leftOut.map((file) => oneSkipped(file, 'a slow file of another turn')),
  ...others.sampledOnly.map((file) => oneSkipped(`full counts of ${file}`, 'another turn')),
];
for (const step of chosen({ ...traced, ...others, temporary, long, before })) {
  process.stdout.write(`${step.name} … `);
  const start = performance.now();
  const { tally, output } = await step.run(interrupt.signal);
  process.stdout.write(
    `${inWords(tally)}${skips(tally)} (${((performance.now() - start) / 1000).toFixed(1)} s)\n`,
  );
  if (interrupt.signal.aborted) await endInterrupted();
  if (tally.failed > 0) process.stdout.write(`${output}\n`);
  tallies.push(tally);
}
// The whole run removes it before it looks for what was left; the others here.
await rm(temporary, { recursive: true, force: true });
report(sum(tallies));

function chosen(parts: StepOptions): Step[] {
  if (paths.length > 0) return namedSteps(parts, paths);
  return fast ? fastSteps(parts) : steps(parts);
}

interface Options {
  readonly long: boolean;
  readonly fast: boolean;
  readonly help: boolean;
  readonly paths: readonly string[];
  /** Whose slow files are taken, or with `--long` whose full counts; absent if it takes all that it names. */
  readonly turn: number | undefined;
}

function options(): Options {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        long: { type: 'boolean', default: false },
        fast: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.fast && (values.long || positionals.length > 0)) throw new Error('--fast stands alone');
    return { ...values, paths: positionals, turn: positionals.length > 0 ? undefined : turnOf(checkout) };
  } catch (error) {
    process.stderr.write(`clawrden: scripts/test: ${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

function report(total: Tally): void {
  for (const name of total.unsteady) process.stdout.write(`passed only when run again: ${name}\n`);
  for (const { name, reason } of total.skipped) process.stdout.write(`skipped: ${name}: ${reason}\n`);
  if (total.skipped.length > 0) process.stdout.write(`${total.skipped.length} skipped\n`);
  for (const failure of total.failures) process.stdout.write(`failed: ${failure}\n`);
  process.stdout.write(`${inWords(total)}\n`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}

function skips({ skipped }: Tally): string {
  return skipped.length > 0 ? `, ${skipped.length} skipped` : '';
}

async function endInterrupted(): Promise<never> {
  await endLeftovers(traced, temporary);
  await rm(temporary, { recursive: true, force: true });
  const left = await leftovers(traced, before, 30_000);
  for (const trace of left) process.stdout.write(`left behind: ${trace}\n`);
  process.stdout.write('interrupted\n');
  process.exit(130);
}
