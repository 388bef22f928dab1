import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, run } from '../lab/command.ts';
import type { InternetOrder, Seen } from './internet-main.ts';

/** Whether this machine lets a test make namespaces. */
export const mayMakeNamespaces = (await attempt(['unshare', '-n', 'true'])).code === 0;

/**
 * Two network namespaces with a wire between them: `gateway`, where a program of the test runs, and one that has every
 * other address there is. No packet leaves them.
 */
export interface TwoNamespaces extends AsyncDisposable {
  readonly internet: (order: InternetOrder) => Promise<Seen>;
  readonly gateway: ChildProcess;
  readonly folder: string;
}

/** The gateway's own addresses. */
export const gatewayAddresses = ['11.0.0.1', '2606:11::1'] as const;

export async function startNamespaces(program: string, args: readonly string[] = []): Promise<TwoNamespaces> {
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-egress-'));
  const resolvConf = join(folder, 'resolv.conf');
  await writeFile(resolvConf, 'nameserver 11.0.0.2\noptions timeout:1\n');
  const own = (name: string) => join(import.meta.dirname, name);
  const internet = child(['unshare', '-n', process.execPath, own('internet-main.ts')]);
  const script = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
  const gateway = child([
    ...['unshare', '-n', '-m', 'sh', '-c', script, resolvConf],
    ...[process.execPath, own(program), folder, ...args],
  ]);
  await Promise.all([nextMessage(internet), nextMessage(gateway)]);
  await wire(gateway.pid ?? 0, internet.pid ?? 0);
  return {
    internet: async (order) => await ask<Seen>(internet, order),
    gateway,
    folder,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([end(internet), end(gateway)]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One order at a time. */
export async function ask<Answer>(program: ChildProcess, order: object): Promise<Answer> {
  const answered = nextMessage(program);
  program.send(order);
  return (await answered) as Answer;
}

async function nextMessage(program: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const exit = () => ended.abort(new Error(`${program.spawnargs.join(' ')} has ended`));
  program.once('exit', exit);
  const [message] = await once(program, 'message', { signal: ended.signal });
  program.off('exit', exit);
  return message;
}

function child([program = '', ...args]: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGKILL');
  await ended;
}

async function wire(gateway: number, internet: number): Promise<void> {
  const inGateway = async (...args: string[]) =>
    await run(['nsenter', '-t', `${gateway}`, '-n', 'ip', ...args]);
  const outside = async (...args: string[]) =>
    await run(['nsenter', '-t', `${internet}`, '-n', 'ip', ...args]);
  const veth = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', `${internet}`];
  await inGateway('link', 'add', 'eth0', ...veth);
  for (const [ip, number] of [
    [inGateway, 1],
    [outside, 2],
  ] as const) {
    await ip('link', 'set', 'lo', 'up');
    await ip('address', 'add', `11.0.0.${number}/24`, 'dev', 'eth0');
    await ip('address', 'add', `2606:11::${number}/64`, 'dev', 'eth0', 'nodad');
    await ip('link', 'set', 'eth0', 'up');
  }
  await inGateway('route', 'add', 'default', 'via', '11.0.0.2');
  await inGateway('-6', 'route', 'add', 'default', 'via', '2606:11::2');
  // Behind the route to the wire itself, so that answers find their way.
  await outside('route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo', 'table', 'main');
  await outside('-6', 'route', 'add', 'local', '::/0', 'dev', 'lo', 'table', 'main');
}
