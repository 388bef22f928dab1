import { setTimeout as sleep } from 'node:timers/promises';
import { carriersNow, whenMade } from '../e2e/followed-strikes.ts';
import { signalAll } from '../lab/host-processes.ts';
import type { Lab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import type { Stack } from '../stack/start-stack.ts';
import { shuffled } from './random.ts';
import { roamer, stagesOn } from './roaming.ts';

export interface Fault {
  readonly name: string;
  /** Causes it and undoes it. Resolves to what it met; to nothing if there was no such process. */
  readonly happen: () => Promise<'exchange' | 'idle' | undefined>;
}

interface Kind {
  readonly name: (host: string) => string;
  /** Causes one, and undoes it. False if there was nothing that it could hit. */
  readonly happen: (host: LabHost, stack: Stack) => Promise<boolean | void>;
}

const frozenMs = 5_000;
const cutMs = 10_000;
/** For so long a fault waits for an exchange in which to happen. */
const awaitedMs = 5_000;
/** And then so long at most: an exchange of the soak's files takes about that. */
const withinMs = 60;

const ofCarriers: readonly Kind[] = [
  {
    name: () => 'carrier at home killed',
    happen: async (host, stack) => killed((await carriersOn(host, stack)).home),
  },
  {
    name: (host) => `carrier of the replica on ${host} killed`,
    happen: async (host, stack) => killed((await carriersOn(host, stack)).replica),
  },
];

const kinds: readonly Kind[] = [
  {
    name: (host) => `engine of ${host} killed and started again`,
    happen: async (host) => {
      await host.kill();
      await host.restart();
    },
  },
  {
    name: (host) => `engine of ${host} frozen for ${frozenMs / 1000} s`,
    happen: async (host) => {
      await host.freeze();
      await sleep(frozenMs);
      await host.thaw();
    },
  },
  {
    name: (host) => `link of ${host} cut for ${cutMs / 1000} s`,
    happen: async (host) => {
      await host.cut();
      await sleep(cutMs);
      await host.heal();
    },
  },
  {
    name: () => 'gateway killed and started again',
    happen: async (_host, stack) => {
      await stack.gateway.end('SIGKILL');
      await stack.startGateway();
    },
  },
  {
    name: () => 'relay ended and started again',
    happen: async (_host, stack) => {
      await stack.relay.end('SIGTERM');
      await stack.startRelay();
    },
  },
  {
    name: () => 'relay killed and started again',
    happen: async (_host, stack) => {
      await stack.relay.end('SIGKILL');
      await stack.startRelay();
    },
  },
  ...ofCarriers,
];

function killed(pids: readonly number[]): boolean {
  signalAll(pids, 'SIGKILL');
  return pids.length > 0;
}

const carriersOn = (host: LabHost, stack: Stack) =>
  carriersNow({ stack, host, agent: roamer, home: stack.workspaceOf(roamer), volume: '' });

/** One fault after another, each kind equally often. */
export const faults = (lab: Lab, stack: Stack, random: () => number) => drawn(kinds, lab, stack, random);

/** The same with carriers only: they are back within a second, so that there can be more of them. */
export const carrierFaults = (lab: Lab, stack: Stack, random: () => number) =>
  drawn(ofCarriers, lab, stack, random);

function* drawn(
  from: readonly Kind[],
  lab: Lab,
  stack: Stack,
  random: () => number,
): Generator<Fault, never> {
  for (;;) {
    for (const { name, happen } of shuffled(from, random)) {
      const [host] = shuffled(lab.hosts, random);
      if (host === undefined) throw new Error('the lab has no host');
      const afterMs = random() * withinMs;
      yield {
        name: name(host.name),
        happen: async () => {
          const met = await anExchange(host, stack);
          await sleep(afterMs);
          if ((await happen(host, stack)) === false) return undefined;
          return met ? 'exchange' : 'idle';
        },
      };
    }
  }
}

/** Waits until something is staged, at home or in the host's replica. */
async function anExchange(host: LabHost, stack: Stack): Promise<boolean> {
  const stages = await stagesOn(host, stack);
  const watched = stages.map((folder) => whenMade(folder, 'stage'));
  const never = sleep(awaitedMs, false, { ref: false });
  const met = await Promise.race([never, ...watched.map(({ made }) => made.then(() => true))]);
  for (const each of watched) each[Symbol.dispose]();
  return met;
}
