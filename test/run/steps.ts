import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { leftovers, type Traced } from './leftovers.ts';
import { runCommand } from './run-command.ts';
import { oneFailed, onePassed, oneSkipped, sum, type Tally } from './tally.ts';

/** A part of the run. `run` ends soon after `signal` aborts. */
export interface Step {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<StepResult>;
}

export interface StepResult {
  readonly tally: Tally;
  /** What to show if something failed. */
  readonly output: string;
}

export interface StepOptions extends Traced {
  /** A folder for the steps; removed with everything in it when they have ended. */
  readonly temporary: string;
  /** Full counts in place of seeded tenths. */
  readonly long: boolean;
  /** Files that are left to other runs; none with `--long`. */
  readonly leftOut: readonly string[];
  /** Files whose full counts are left to other runs with `--long`. */
  readonly sampledOnly: readonly string[];
  /** What was on the machine before the first step. */
  readonly before: ReadonlySet<string>;
}

const minute = 60_000;
const parseFlake = ['nix-instantiate', '--store', 'dummy://', '--parse', 'flake.nix'];
const soak = ['scripts/soak', '--minutes', '3'];

/** All of them, cheapest first. */
export function steps(options: StepOptions): Step[] {
  // Deadlines are for what hangs: the same run takes twice as long on a busy machine.
  const scale = options.long ? 2 : 1;
  return [
    ...readSteps(options),
    program(options, 'protocol buffers', ['buf', 'lint']),
    // Parsing needs no store, and a user may not have one.
    whereInstalled('nix-instantiate', program(options, 'flake', parseFlake)),
    program(options, 'native, sanitized', ['make', '-s', '-C', 'shim/native', 'sanitize']),
    tests(options, 'unit tests', ['--project', 'unit'], 8 * minute * scale),
    tests(options, 'program tests', ['--project', 'programs'], 45 * minute * scale),
    asRoot(tests(options, 'lab tests', ['--project', 'lab'], 45 * minute * scale)),
    asRoot(program(options, 'demo', ['scripts/demo'])),
    ...(options.long ? [asRoot(program(options, 'soak', soak, 8 * minute))] : []),
    nothingLeft(options),
  ];
}

/** The steps that find most mistakes in the shortest time. */
export function fastSteps(options: StepOptions): Step[] {
  const lint = ['env', 'CLAWRDEN_FAST=1', 'oxlint'];
  return [...readSteps(options, lint), tests(options, 'unit tests', ['--project', 'unit'], 5 * minute)];
}

/** The test files whose path contains one of `paths`, of every kind. `clawrden/client` is a built file. */
export function namedSteps(options: StepOptions, paths: readonly string[]): Step[] {
  return [
    program(options, 'client', ['tsc', '-b', 'src']),
    tests(options, 'named tests', paths, (options.long ? 80 : 30) * minute),
  ];
}

/** Runs nothing: it only reads the code. */
function readSteps(options: StepOptions, lint = ['oxlint']): Step[] {
  return [
    program(options, 'lint', lint),
    program(options, 'format', ['biome', 'ci', '--colors=off', '.']),
    program(options, 'types', ['tsc', '-b']),
  ];
}

function program(
  options: StepOptions,
  name: string,
  argv: readonly string[],
  deadlineMs: number = 3 * minute,
): Step {
  return {
    name,
    run: async (signal) => {
      const { status, output } = await logged(options, name, argv, deadlineMs, {}, signal);
      return { tally: status === 0 ? onePassed : oneFailed(`${name}: ${status}`), output };
    },
  };
}

function tests(options: StepOptions, name: string, which: readonly string[], deadlineMs: number): Step {
  const reporters = ['--reporter=default', '--reporter=./test/run/tally-reporter.ts'];
  const argv = ['vitest', 'run', ...which, ...reporters];
  return {
    name,
    run: async (signal) => {
      const file = join(options.checkout, 'build/test', `${name}.json`);
      await rm(file, { force: true });
      const env = {
        CLAWRDEN_TALLY: file,
        CLAWRDEN_LEFT_OUT: options.leftOut.join(' '),
        ...(options.long && { CLAWRDEN_LONG: '1', CLAWRDEN_SAMPLED: options.sampledOnly.join(' ') }),
      };
      const { status, output } = await logged(options, name, argv, deadlineMs, env, signal);
      const text = await readFile(file, 'utf8').catch(() => undefined);
      const tally =
        text === undefined ? oneFailed(`${name}: no results: ${status}`) : (JSON.parse(text) as Tally);
      // A failing teardown, for example, belongs to no test.
      const untold = status !== 0 && tally.failed === 0;
      return { tally: untold ? sum([tally, oneFailed(`${name}: ${status}`)]) : tally, output };
    },
  };
}

async function logged(
  options: StepOptions,
  name: string,
  argv: readonly string[],
  deadlineMs: number,
  extraEnv: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ status: number | string; output: string }> {
  await mkdir(join(options.checkout, 'build/test'), { recursive: true });
  const log = join(options.checkout, 'build/test', `${name}.log`);
  const [markName = '', mark = ''] = options.mark.split('=');
  const env = { ...extraEnv, TMPDIR: options.temporary, [markName]: mark };
  const status = await runCommand({ argv, env, cwd: options.checkout, log, deadlineMs }, signal);
  const ending = typeof status === 'number' ? `exit status ${status}` : status;
  return { status, output: `$ ${argv.join(' ')}\n${await readFile(log, 'utf8')}\n${ending}\n` };
}

function nothingLeft(options: StepOptions): Step {
  return {
    name: 'nothing left behind',
    run: async () => {
      await rm(options.temporary, { recursive: true, force: true });
      const left = await leftovers(options, options.before, 20_000);
      const tally = left.length === 0 ? onePassed : oneFailed(`left behind: ${left.join(', ')}`);
      return { tally, output: `${left.join('\n')}\n` };
    },
  };
}

function asRoot(step: Step): Step {
  const skipped = oneSkipped(step.name, 'private Docker engines and network namespaces need root');
  return process.getuid?.() === 0 ? step : { ...step, run: async () => ({ tally: skipped, output: '' }) };
}

function whereInstalled(name: string, step: Step): Step {
  const folders = (process.env.PATH ?? '').split(delimiter);
  if (folders.some((folder) => existsSync(join(folder, name)))) return step;
  const skipped = oneSkipped(step.name, `${name} is not installed`);
  return { ...step, run: async () => ({ tally: skipped, output: '' }) };
}
