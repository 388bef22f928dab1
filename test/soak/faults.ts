import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import type { Stack } from '../stack/start-stack.ts';
import { shuffled } from './random.ts';

export interface Fault {
  readonly name: string;
  /** Causes it and undoes it. */
  readonly happen: () => Promise<void>;
}

type Kind = (host: LabHost, stack: Stack) => Fault;

const frozenMs = 5_000;
const cutMs = 10_000;

const kinds: readonly Kind[] = [
  (host) => ({
    name: `engine of ${host.name} killed and started again`,
    happen: async () => {
      await host.kill();
      await host.restart();
    },
  }),
  (host) => ({
    name: `engine of ${host.name} frozen for ${frozenMs / 1000} s`,
    happen: async () => {
      await host.freeze();
      await sleep(frozenMs);
      await host.thaw();
    },
  }),
  (host) => ({
    name: `link of ${host.name} cut for ${cutMs / 1000} s`,
    happen: async () => {
      await host.cut();
      await sleep(cutMs);
      await host.heal();
    },
  }),
  (_host, stack) => ({
    name: 'gateway killed and started again',
    happen: async () => {
      await stack.gateway.end('SIGKILL');
      await stack.startGateway();
    },
  }),
  (_host, stack) => ({
    name: 'relay ended and started again',
    happen: async () => {
      await stack.relay.end('SIGTERM');
      await stack.startRelay();
    },
  }),
];

/** One fault after another, each kind equally often. */
export function* faults(lab: Lab, stack: Stack, random: () => number): Generator<Fault, never> {
  for (;;) {
    for (const kind of shuffled(kinds, random)) {
      const [host] = shuffled(lab.hosts, random);
      if (host === undefined) throw new Error('the lab has no host');
      yield kind(host, stack);
    }
  }
}
