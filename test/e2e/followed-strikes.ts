import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalAll } from '../lab/host-processes.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { waitUntil } from '../lab/wait.ts';
import { carriersOf } from '../relay/told-host.ts';
import type { Stack } from '../stack/start-stack.ts';
import { areaOf, carrierOn } from './followed-home.ts';
import { processesOf, type Typing } from './typed.ts';

/** Everything between a home and its replica. */
export const victims = [
  'relay',
  'gateway',
  'carrier at home',
  'carrier of the replica',
  'engine',
  'link',
] as const;
export type Victim = (typeof victims)[number];

/** The steps of a command's life that are not the tool's, with the time within which a blow still meets them. */
export const moments = {
  typed: 400,
  sent: 60,
  runs: 500,
  written: 30,
  staged: 60,
} as const;
export type Moment = keyof typeof moments;

export interface Field {
  readonly stack: Stack;
  readonly host: LabHost;
  readonly agent: string;
  readonly home: string;
  /** Of the replica on `host`. */
  readonly volume: string;
}

/** Resolves at a moment of the command, or at its end; to be called before it is typed. */
export function untilMoment(moment: Moment, { home, volume }: Field): (typing: Typing) => Promise<void> {
  const stage = moment === 'sent' ? volume : areaOf(home);
  const staged = moment === 'sent' || moment === 'staged' ? whenMade(stage, 'stage') : undefined;
  return async (typing) => {
    using _ = staged;
    const ended = typing.ended.then(() => {});
    if (moment === 'runs') await Promise.race([typing.said('runs').catch(() => {}), ended]);
    if (moment === 'written' || moment === 'staged')
      await Promise.race([typing.said('written').catch(() => {}), ended]);
    if (staged !== undefined) await Promise.race([staged.made, ended]);
  };
}

export interface Watched extends Disposable {
  readonly made: Promise<void>;
}

/** A carrier makes the folder of a stage anew when an exchange begins. */
export function whenMade(folder: string, name: string): Watched {
  const { promise: made, resolve } = Promise.withResolvers<void>();
  const watcher = watch(folder, (_event, changed) => {
    if (changed === name) resolve();
  });
  return { made, [Symbol.dispose]: () => watcher.close() };
}

/** The processes of the carriers that an agent has now. */
export async function carriersNow({
  stack,
  host,
  agent,
}: Field): Promise<{ home: number[]; replica: number[] }> {
  const id = await carrierOn(host, agent);
  const replica = id === '' ? [] : await processesOf({ id });
  return { home: [...carriersOf(stack.relay.pid)], replica };
}

/** SIGKILL, or a link that takes no packet. */
export async function strike(
  victim: Victim,
  { stack, host }: Field,
  carriers: Awaited<ReturnType<typeof carriersNow>>,
): Promise<void> {
  if (victim === 'relay' || victim === 'gateway') await stack[victim].end('SIGKILL');
  if (victim === 'carrier at home') signalAll(carriers.home, 'SIGKILL');
  if (victim === 'carrier of the replica') signalAll(carriers.replica, 'SIGKILL');
  if (victim === 'engine') await host.kill();
  if (victim === 'link') await host.cut();
}

/** Starts again what a strike took away. */
export async function mend(victim: Victim, { stack, host }: Field): Promise<void> {
  if (victim === 'relay') await stack.startRelay();
  if (victim === 'gateway') await stack.startGateway();
  if (victim === 'engine') await host.restart();
  if (victim === 'link') await host.heal();
}

/** Types a command until it succeeds: then the gateway, the relay and the host are there. */
export async function untilItWorks(typed: () => Promise<Typing>): Promise<void> {
  let last = '';
  await waitUntil('a command to succeed', 60_000, async () => {
    const { code, stderr } = await (await typed()).ended;
    last = `${code} ${stderr}`;
    if (code !== 0) await sleep(200);
    return code === 0;
  }).catch((error: Error) => {
    throw new Error(`${error.message}: ${last}`);
  });
}
