import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';
import { startDetached } from './host.ts';
import { processesMentioning, signalAll } from './host-processes.ts';
import { type HostNames, labRoot } from './names.ts';
import { waitUntil } from './wait.ts';

const source = join(import.meta.dirname, 'wire.c');
const cache = join(labRoot, 'cache');

/** Starts the program that carries frames between a host's link and its detour, with a delay. */
export async function startWire(host: HostNames, microseconds: number): Promise<void> {
  const wire = await wireProgram();
  const argv = [wire, host.link, host.detour[0], String(microseconds)];
  await startDetached(argv, join(host.dir, 'wire.log'));
}

/** Ends the wires of a lab, or of one link of it. */
export async function endWires(idOrLink: string): Promise<void> {
  const pids = async () => await processesMentioning(`clawrden-wire\0`, idOrLink);
  signalAll(await pids(), 'SIGKILL');
  await waitUntil('the wire to end', 5000, async () => (await pids()).length === 0);
}

async function wireProgram(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(source));
  const folder = join(cache, `wire-${hash.digest('hex').slice(0, 16)}`);
  const program = join(folder, 'clawrden-wire');
  const built = await access(program).then(
    () => true,
    () => false,
  );
  if (!built) await build(folder, program);
  return program;
}

async function build(folder: string, program: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const draft = `${program}.${process.pid}`;
  await run(['cc', '-O2', '-Wall', '-Wextra', '-Werror', '-o', draft, source]);
  await rename(draft, program);
}
