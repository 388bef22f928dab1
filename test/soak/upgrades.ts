import type { Stack } from '../stack/start-stack.ts';
import type { Fault } from './faults.ts';
import type { Ended } from './load.ts';
import { type Change, wrongLosses } from './losses.ts';
import type { Release, Releases } from './releases.ts';

/** What the next start of each program takes. */
export interface Launchers {
  gateway: string;
  relay: string;
}

/** Every minute another version of the gateway in the place of the one that runs. */
export interface Upgrades {
  readonly faults: Generator<Fault, never>;
  readonly changes: readonly Change[];
  /** Of what ended since the last call. */
  readonly wrong: (ended: readonly Ended[]) => string[];
}

/** Of three gateways two are asked to end, and one is killed. */
const killedEvery = 3;

export function launchersOf({ earlier, present }: Releases): Launchers {
  const { launcher } = earlier ?? present;
  return { gateway: launcher, relay: launcher };
}

export function createUpgrades(
  stack: Stack,
  launchers: Launchers,
  releases: Releases,
  random: () => number,
): Upgrades {
  const changes: Change[] = [];
  const problems: string[] = [];

  async function change(name: string, costs: Change['costs'], happen: () => Promise<void>): Promise<'idle'> {
    const stoppedAt = Date.now();
    await happen();
    changes.push({ name, costs, stoppedAt, servedAt: Date.now() });
    return 'idle';
  }

  async function replaceGateway(signal: NodeJS.Signals, { launcher, name, version }: Release): Promise<void> {
    await stack.gateway.end(signal);
    launchers.gateway = launcher;
    await stack.startGateway();
    const started = (await stack.audit()).findLast(({ event }) => event === 'start');
    const told = String(started?.['text']);
    if (!told.startsWith(`version ${version},`)) problems.push(`the gateway should be ${name}: ${told}`);
  }

  /** No release promises that an earlier one reads its state: from the last release it goes forward once. */
  function* draw({ earlier, present, other }: Releases): Generator<Fault, never> {
    let now = earlier ?? present;
    if (earlier !== undefined) {
      yield gatewayChange('SIGTERM', earlier, present, 'documented');
      yield relayChange(earlier, present);
      now = present;
    }
    for (let count = Math.floor(random() * killedEvery); ; count++) {
      const next = now === present ? other : present;
      if (count % killedEvery === 0) yield gatewayChange('SIGKILL', now, next, 'what runs');
      else yield gatewayChange('SIGTERM', now, next, 'what runs on for 30 s');
      now = next;
    }
  }

  function gatewayChange(
    signal: 'SIGTERM' | 'SIGKILL',
    from: Release,
    to: Release,
    costs: Change['costs'],
  ): Fault {
    const how = signal === 'SIGKILL' ? 'killed' : 'ended';
    const name = `gateway of ${from.name} ${how}, of ${to.name} started`;
    return { name, happen: () => change(name, costs, () => replaceGateway(signal, to)) };
  }

  function relayChange(from: Release, to: Release): Fault {
    const name = `relay of ${from.name} ended, of ${to.name} started`;
    const replace = async () => {
      await stack.relay.end('SIGTERM');
      launchers.relay = to.launcher;
      await stack.startRelay();
    };
    return { name, happen: () => change(name, 'documented', replace) };
  }

  return {
    faults: draw(releases),
    changes,
    wrong: (ended) => [...problems.splice(0), ...wrongLosses(ended, changes)],
  };
}

/** The longest time from a stop until the next one served. */
export function describeChanges(changes: readonly Change[]): string {
  const seconds = changes.map(({ stoppedAt, servedAt }) => (servedAt - stoppedAt) / 1000);
  return `${changes.length} changes of a version, ${Math.max(0, ...seconds).toFixed(1)} s at most from the stop to the next one's ready`;
}
