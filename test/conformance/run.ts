import { parseArgs } from 'node:util';
import { startLab } from '../lab/lab.ts';
import { type Bench, startBench } from './bench.ts';
import type { Case, Mode } from './case.ts';
import { allCases } from './cases/all.ts';
import { conform } from './conform.ts';
import { describeDifferences } from './report.ts';
import { casesOf, modes } from './suite.ts';

const usage = `usage: scripts/conformance [--only PATTERN] [--strategy NAME] [--workers N]

Runs every case natively and through Clawrden, and prints what differs.
  --only PATTERN    cases whose name matches this regular expression
  --strategy NAME   ghost, mirror or passthrough, or replica: a ghost on a host that has only a replica, or session:
                    a container that the agent keeps; all when left out
  --workers N       cases at once, 4 when left out
  --repeat N        every case N times
  --verbose         every case with its times
  --help            this text
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    strategy: { type: 'string' },
    workers: { type: 'string', default: '4' },
    repeat: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help === true) process.stdout.write(usage);
else await main();

async function main(): Promise<void> {
  const only = values.only === undefined ? undefined : new RegExp(values.only);
  const wanted = modes.filter((name) => values.strategy === undefined || name === values.strategy);
  await using lab = await startLab({ hosts: 2, progress: say });
  let differing = 0;
  let count = 0;
  for (const mode of wanted) {
    const cases = casesOf(mode, only);
    const workers = Math.min(Number(values.workers), cases.length);
    say(`${mode}: starting`);
    await using bench = await startBench({ lab, mode, cases: allCases, workers });
    const began = performance.now();
    for (let round = 0; round < Number(values.repeat); round += 1) {
      differing += await runAll(bench, cases, workers);
      count += cases.length;
    }
    say(
      `${mode}: ${cases.length} cases, ${values.repeat} times, in ${((performance.now() - began) / 1000).toFixed(1)} s`,
    );
  }
  process.stdout.write(`${count} cases, ${differing} differ\n`);
  process.exitCode = differing === 0 && count > 0 ? 0 : 1;
}

async function runAll(bench: Bench, cases: readonly Case[], workers: number): Promise<number> {
  const waiting = [...cases];
  const work = async (): Promise<number> => {
    let differing = 0;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!(await isAlike(bench, next))) differing += 1;
    }
    return differing;
  };
  const counts = await Promise.all(Array.from({ length: workers }, work));
  return counts.reduce((sum, one) => sum + one, 0);
}

async function isAlike(bench: Bench, one: Case): Promise<boolean> {
  const verdict = await conform(bench, one);
  const { native, clawrden } = verdict;
  const alike = verdict.differences.length === 0;
  if (!alike) process.stdout.write(`${title(bench.mode, one)}\n${describeDifferences(verdict)}\n\n`);
  else if (values.verbose) {
    const times = `${native.record.ms} ms natively, ${clawrden.record.ms} ms through Clawrden`;
    process.stdout.write(`${title(bench.mode, one)}: ${native.record.ending}, ${times}\n`);
  }
  return alike;
}

function title(mode: Mode, { name }: Case): string {
  return `${mode} ${name}`;
}

function say(line: string): void {
  process.stderr.write(`conformance: ${line}\n`);
}
