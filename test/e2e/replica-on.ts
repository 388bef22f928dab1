import { join } from 'node:path';
import { workspaceLabel } from '../../gateway/docker/replica/replica-volumes.ts';
import type { Replica, ReplicaOf } from '../../gateway/ports/replica.ts';
import { defaultLimits } from '../../src/carrier-client/hello.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { type GhostsOn, ghostsOn } from './ghosts-on.ts';

/** A gateway's engine that hears what ends; at the end all its replicas are removed. */
export async function replicasOn(host: LabHost): Promise<GhostsOn & AsyncDisposable> {
  const on = ghostsOn(host);
  const watching = new AbortController();
  await on.engine.ping();
  void on.engine.watch({ onEvent: () => {} }, watching.signal).catch(() => {});
  return {
    ...on,
    [Symbol.asyncDispose]: async () => {
      watching.abort();
      for (const each of await on.engine.replicas()) await on.engine.removeReplica(each);
      on.engine.close();
    },
  };
}

/** The replica of a home of `agent`. */
export function of(agent: string): ReplicaOf {
  return { agent, home: '0123456789abcdef' };
}

/** Starts the carrier of `agent`'s replica. */
export function openOn({ engine }: GhostsOn, agent = 'coder'): Promise<Replica> {
  const wish = { ...of(agent), limits: defaultLimits, excludes: [] };
  return engine.openReplica(wish, AbortSignal.timeout(20_000));
}

/** What the gateway has on the host: containers, and volumes of replicas. */
export async function ownOn(
  host: LabHost,
  gatewayId: string,
): Promise<{ containers: number; volumes: number }> {
  const label = `label=clawrden.gateway=${gatewayId}`;
  const count = async (args: string[]) => {
    const { stdout } = await host.docker([...args, '--quiet', '--filter', label]);
    return stdout.split('\n').filter(Boolean).length;
  };
  return { containers: await count(['ps', '--all']), volumes: await count(['volume', 'ls']) };
}

/** The folder of `agent`'s replica, that ghosts on the host have as their workspace; it is a folder of this machine. */
export async function replicaFolder(host: LabHost, agent: string): Promise<string> {
  const { stdout } = await host.docker([
    'volume',
    'ls',
    '--quiet',
    '--filter',
    `label=${workspaceLabel}=${agent}`,
  ]);
  const names = stdout.split('\n').filter(Boolean);
  if (names.length !== 1) throw new Error(`${agent} has ${names.length} replicas on ${host.name}`);
  const inspect = await host.docker(['volume', 'inspect', '--format', '{{.Mountpoint}}', ...names]);
  return join(inspect.stdout.trim(), 'base');
}
