import type Docker from 'dockerode';
import { deadline } from '../../../src/abort.ts';
import { gatewayLabel } from '../../../src/agent-container.ts';
import { forceRemove } from '../container/remove-container.ts';
import type { StartingContainers } from '../container/starting-containers.ts';
import { callTimeoutMs, EngineTimeout, withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';
import { removeLeftTerminals } from './terminals.ts';

const removedAtOnce = 4;
/** What an engine has left then is for the next sweep: how long one takes must not be the engine's to say. */
const sweepMs = 20_000;

/**
 * See `Engine.removeStrays`; spares containers that are starting. Tries all, and then rejects with the first refusal.
 */
export async function removeStrays(
  { docker, gatewayId, starting }: { docker: Docker; gatewayId: string; starting: StartingContainers },
  keep: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<number> {
  const spared = starting.watch();
  using until = deadline(
    sweepMs,
    () => new EngineTimeout(`containers are left after ${sweepMs / 1000} s`),
    signal,
  );
  try {
    const found = await listOwn(docker, gatewayId, until.signal);
    const known = ({ Id, Names }: Docker.ContainerInfo): boolean =>
      keep.has(Id) || [Id, ...Names.map((name) => name.slice(1))].some(spared.has);
    const strays = found.filter((container) => !known(container));
    const removed = await removeAll(docker, strays, until.signal);
    await removeLeftTerminals(docker, until.signal);
    return removed;
  } finally {
    spared.end();
  }
}

function listOwn(docker: Docker, gatewayId: string, signal: AbortSignal): Promise<Docker.ContainerInfo[]> {
  const filters = { label: [`${gatewayLabel}=${gatewayId}`] };
  return withDeadline(
    callTimeoutMs,
    (abortSignal) => docker.listContainers({ all: true, filters, abortSignal }),
    signal,
  );
}

/**
 * If the engine refuses to remove one, the others are still removed. It does not wait for one that the engine is
 * already removing, because that may never end. It stops if the engine is gone, and throws the signal's reason.
 */
async function removeAll(
  docker: Docker,
  strays: readonly Docker.ContainerInfo[],
  signal: AbortSignal,
): Promise<number> {
  const results: PromiseSettledResult<boolean>[] = [];
  for (let at = 0; at < strays.length; at += removedAtOnce) {
    signal.throwIfAborted();
    const batch = strays.slice(at, at + removedAtOnce).map(({ Id }) => removeOne(docker, Id));
    results.push(...(await Promise.allSettled(batch)));
    const lost = results.find(
      (result) => result.status === 'rejected' && statusOf(result.reason) === undefined,
    );
    if (lost !== undefined) break;
  }
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.filter((result) => result.status === 'fulfilled' && result.value).length;
}

async function removeOne(docker: Docker, id: string): Promise<boolean> {
  const remove = (signal: AbortSignal) => forceRemove(docker.getContainer(id), signal);
  return (await withDeadline(callTimeoutMs, remove)) === 'removed';
}
