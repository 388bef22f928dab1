import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Traced {
  readonly checkout: string;
  /** `NAME=value` in the environment of every step. */
  readonly mark: string;
}

/** One line for everything on this machine that a test run could leave. */
export async function traces({ checkout, mark }: Traced): Promise<Set<string>> {
  const kinds = await Promise.all([
    processes(mark).then((all) => all.map(({ pid, command }) => `process ${pid} ${command}`)),
    lines(['ip', 'netns', 'list']).then(named('network namespace', /^\S+/)),
    lines(['ip', '-o', 'link', 'show']).then(named('link', /(?<=^\d+: )[^:@]+/)),
    lines(['iptables-save']).then(named('firewall rule', /.*/)),
    mountPoints(checkout).then((points) => points.map((point) => `mount ${point}`)),
    folders('/tmp'),
    folders('/run'),
    lines(['docker', 'ps', '-a', '--format', '{{.Names}} {{.Labels}}']).then(named('container', /.*/)),
    lines(['docker', 'network', 'ls', '--format', '{{.Name}}']).then(named('network', /.*/)),
  ]);
  return new Set(kinds.flat());
}

/** What is there now and was not before; waits up to `patienceMs` until it is gone. */
export async function leftovers(
  traced: Traced,
  before: ReadonlySet<string>,
  patienceMs: number,
): Promise<string[]> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const left = [...(await traces(traced))].filter((trace) => !before.has(trace));
    if (left.length === 0 || performance.now() > end) return left;
    await sleep(500);
  }
}

/** Takes its lab down once nobody has that any more. */
const keeper = join('test', 'lab', 'keeper-main.ts');
const keepersMs = 60_000;

/**
 * For a run that was cut off: ends every process that its steps started, lets the keepers take their labs down, and takes
 * away what is mounted in `folder`.
 */
export async function endLeftovers({ checkout, mark }: Traced, folder: string): Promise<void> {
  const keepers = async () => (await processes(mark)).filter(({ command }) => command.endsWith(keeper));
  const kept = new Set((await keepers()).map(({ pid }) => pid));
  endAll((await processes(mark)).filter(({ pid }) => !kept.has(pid)));
  const end = performance.now() + keepersMs;
  while (performance.now() < end && (await keepers()).length > 0) await sleep(200);
  endAll(await processes(mark));
  const mounted = (await mountPoints(checkout)).filter((point) => point.startsWith(`${folder}/`));
  for (const point of mounted.toReversed()) await lines(['umount', '--lazy', point]);
}

function endAll(all: readonly { readonly pid: number }[]): void {
  for (const { pid } of all) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** Processes with the run's mark in their environment: every process that a step started, directly or not. */
async function processes(mark: string): Promise<{ readonly pid: number; readonly command: string }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = pids.map(async (pid) => {
    const environment = (await read(`/proc/${pid}/environ`)).split('\0');
    const command = (await read(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ').trim();
    return environment.includes(mark) ? [{ pid: Number(pid), command }] : [];
  });
  return (await Promise.all(found)).flat();
}

async function mountPoints(checkout: string): Promise<string[]> {
  const points = (await read('/proc/self/mountinfo')).split('\n').map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => point.includes('clawrden-') || point.startsWith(`${checkout}/`));
}

async function folders(parent: string): Promise<string[]> {
  const names = await readdir(parent);
  return names.filter((name) => name.startsWith('clawrden-')).map((name) => `file ${parent}/${name}`);
}

function named(kind: string, what: RegExp): (list: readonly string[]) => string[] {
  return (list) => {
    const ours = list.filter((line) => line.includes('clawrden'));
    return ours.map((line) => `${kind} ${what.exec(line)?.[0] ?? line}`);
  };
}

// If the program is missing or may not be used, no test can have used it either.
function lines(argv: readonly string[]): Promise<string[]> {
  const [program = '', ...args] = argv;
  const { promise, resolve } = Promise.withResolvers<string[]>();
  execFile(program, args, { timeout: 10_000, maxBuffer: 1 << 26 }, (error, stdout) => {
    resolve(error ? [] : stdout.split('\n'));
  });
  return promise;
}

function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => ''); // the process has ended
}
