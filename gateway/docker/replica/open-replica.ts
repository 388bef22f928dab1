import { finished } from 'node:stream';
import type Docker from 'dockerode';
import { abortable, deadline, onAbort } from '../../../src/abort.ts';
import { CarrierSession } from '../../../src/carrier-client/carrier-session.ts';
import { attachedStream } from '../../../src/container/attached-stream.ts';
import type { Replica, ReplicaOf, ReplicaWish } from '../../ports/replica.ts';
import { toWorkspaceError } from '../../workspaces/faults.ts';
import { attach } from '../container/attach.ts';
import { containerLabels } from '../container/container-labels.ts';
import type { Departures } from '../container/departures.ts';
import { removeContainer } from '../container/remove-container.ts';
import { type StartSource, startContainer } from '../container/start-container.ts';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';
import { removeVolume } from '../engine/remove-volume.ts';
import type { InitVolume } from '../init/init-layout.ts';
import { type InitSource, withInit } from '../init/with-init.ts';
import { carrierBody, replicaMount, replicaName, treeFolder } from './carrier-body.ts';
import { createAlone } from './create-alone.ts';
import { makeReplicaVolume, workspaceLabel } from './replica-volumes.ts';

/** The engine's status for a failure of its own; a volume in use has another. */
const failedWithin = 500;
const clearWithinMs = 60_000;

export interface ReplicaSource extends StartSource, InitSource {
  readonly gatewayId: string;
  readonly departures: Departures;
  /** Containers of carriers that are in use: no sweep takes them. */
  readonly carriers: Set<string>;
}

/** See `ReplicaHost.openReplica`. */
export function openReplica(source: ReplicaSource, wish: ReplicaWish, signal: AbortSignal): Promise<Replica> {
  return withInit(source, (init) => start(source, wish, init, signal), signal);
}

async function start(
  source: ReplicaSource,
  wish: ReplicaWish,
  init: InitVolume,
  signal: AbortSignal,
): Promise<Replica> {
  const { docker, gatewayId } = source;
  const { agent } = wish;
  const name = replicaName(gatewayId, wish);
  const mountpoint = await makeReplicaVolume(docker, gatewayId, wish);
  const labels = containerLabels(gatewayId, { agent, pool: '', timeoutMs: 0 }, Date.now());
  const body = { ...carrierBody(name, init), Labels: { ...labels, [workspaceLabel]: agent } };
  const begin = (container: Docker.Container) =>
    startCarrier(source, container, wish, `${mountpoint}/${treeFolder}`, signal);
  return startContainer(source, name, () => createAlone(docker, name, body, signal), begin, signal);
}

async function startCarrier(
  { host, carriers, departures }: ReplicaSource,
  container: Docker.Container,
  { limits, excludes }: ReplicaWish,
  folder: string,
  signal: AbortSignal,
): Promise<Replica> {
  const socket = await attach(container, signal);
  using _ = onAbort(signal, () => void socket.destroy());
  try {
    const session = new CarrierSession(attachedStream(socket), { role: 'replica' });
    await withDeadline(callTimeoutMs, (abortSignal) => container.start({ abortSignal }), signal);
    const hello = { role: 'replica', uid: 0, gid: 0, limits, excludes } as const;
    const root = `${replicaMount}/${treeFolder}`;
    const found = await session.ready({ ...hello, root, area: replicaMount });
    carriers.add(container.id);
    const alive = () => socket.readable && socket.writable;
    finished(socket, () => carriers.delete(container.id));
    const end = async () => {
      session.end();
      await departures.expect(container.id);
    };
    return { containerId: container.id, session, alive, found, folder, end };
  } catch (error) {
    socket.destroy();
    throw toWorkspaceError(error, host);
  }
}

/** See `ReplicaHost.removeReplica`. */
export async function removeReplica(source: ReplicaSource, of: ReplicaOf): Promise<boolean> {
  const { docker, gatewayId } = source;
  const name = replicaName(gatewayId, of);
  await removeContainer(docker, name);
  try {
    return await removeVolume(docker, name);
  } catch (error) {
    if (statusOf(error) !== failedWithin) throw error;
    await clear(source, of);
    return removeVolume(docker, name);
  }
}

/** An engine needs a descriptor for each level of a tree: of one that is too deep it removes a part, or nothing. */
async function clear(source: ReplicaSource, { agent, home }: ReplicaOf): Promise<void> {
  const limits = { entries: 1, bytes: 1, file: 1, depth: 1 };
  using until = deadline(clearWithinMs, () => new Error('the replica cannot be cleared in time'));
  const replica = await openReplica(source, { agent, home, limits, excludes: [] }, until.signal);
  try {
    await abortable(replica.session.clear(), until.signal);
  } finally {
    await replica.end();
  }
}
