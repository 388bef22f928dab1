import type Docker from 'dockerode';
import { callTimeoutMs, withDeadline } from './deadline.ts';
import { gatewayLabel } from './ghost-labels.ts';
import { removeContainer } from './remove-container.ts';
import type { StartingContainers } from './starting-containers.ts';

const removedAtOnce = 4;

/** See `Engine.removeStrays`; spares what is starting. Rejects with the engine's error at the first that stays. */
export async function removeStrays(
  { docker, gatewayId, starting }: { docker: Docker; gatewayId: string; starting: StartingContainers },
  keep: ReadonlySet<string>,
): Promise<number> {
  using spared = starting.watch();
  const filters = { label: [`${gatewayLabel}=${gatewayId}`] };
  const found = await withDeadline(callTimeoutMs, (abortSignal) =>
    docker.listContainers({ all: true, filters, abortSignal }),
  );
  const strays = found.filter(
    ({ Id, Names }) => !keep.has(Id) && !Names.some((name) => spared.has(name.slice(1))),
  );
  const removed = await inBatches(strays, ({ Id }) => removeContainer(docker, Id));
  return removed.filter(Boolean).length;
}

async function inBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += removedAtOnce) {
    results.push(...(await Promise.all(items.slice(at, at + removedAtOnce).map(work))));
  }
  return results;
}
