import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { answers } from './engine.ts';
import { attachLab, type Lab, readDescription, startLab } from './lab.ts';
import { leaseState } from './lease.ts';
import { maxHosts } from './names.ts';
import { labFolders, leftovers, removeLab } from './remove.ts';

const program = new Command('scripts/lab')
  .description('Real Docker engines on this machine, each in a network namespace of its own. Needs root.')
  .exitOverride();

program
  .command('up')
  .description('start a lab that stays until `down`')
  .option('--hosts <n>', 'build hosts beside the engine for agents', count, 2)
  .option('--json', 'print the lab as JSON')
  .action(async (options: { hosts: number; json?: boolean }) => {
    const progress = (line: string) => process.stderr.write(`lab: ${line}\n`);
    await print([await startLab({ hosts: options.hosts, keep: true, progress })], options.json);
  });

program
  .command('status')
  .description('list the labs of this checkout and whether their engines answer')
  .option('--json', 'print the labs as JSON')
  .action(async (options: { json?: boolean }) => print(await labs(), options.json));

program
  .command('down')
  .description('remove labs: the ones named, or else every lab of this checkout that no running test holds')
  .argument('[id...]')
  .option('--json', 'print the removed ids as JSON')
  .action(async (ids: string[], options: { json?: boolean }) => {
    const chosen = ids.length > 0 ? ids : await unheldIds();
    for (const id of chosen) await remove(id);
    process.stdout.write(options.json ? `${JSON.stringify({ removed: chosen })}\n` : '');
  });

await program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});

async function remove(id: string): Promise<void> {
  process.stderr.write(`lab: removing ${id}\n`);
  await removeLab(id);
  const rest = await leftovers(id);
  if (rest.length > 0)
    throw new Error(`clawrden: lab: ${id} left ${rest.join(', ')}; run scripts/lab down ${id} again`);
}

async function labs(): Promise<Lab[]> {
  const found = await Promise.all((await labFolders()).map(readDescription));
  return found.filter((description) => description !== undefined).map(attachLab);
}

async function unheldIds(): Promise<string[]> {
  const ids = await labFolders();
  const states = await Promise.all(ids.map(leaseState));
  return ids.filter((_, i) => states[i] !== 'held');
}

async function print(list: readonly Lab[], json = false): Promise<void> {
  const rows = await Promise.all(list.map(summary));
  process.stdout.write(json ? `${JSON.stringify(rows)}\n` : rows.map(text).join(''));
}

async function summary(lab: Lab) {
  const hosts = [...lab.hosts, lab.agentHost].map(async ({ name, url, socket, tls, address, namespace }) => {
    return { name, url, socket, tls, address, namespace, answers: await answers(socket) };
  });
  return { id: lab.id, state: await leaseState(lab.id), dir: lab.dir, hosts: await Promise.all(hosts) };
}

function text({ id, state, dir, hosts }: Awaited<ReturnType<typeof summary>>): string {
  const line = (host: (typeof hosts)[number]) =>
    `  ${host.name.padEnd(10)} ${host.answers ? 'up  ' : 'down'}  ${host.url}  docker -H unix://${host.socket}\n`;
  return `lab ${id} (${state}) in ${dir}\n${hosts.map(line).join('')}`;
}

function count(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > maxHosts)
    throw new InvalidArgumentError(`a number from 1 to ${maxHosts}`);
  return number;
}
