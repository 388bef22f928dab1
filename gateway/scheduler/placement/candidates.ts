import { ClawrdenError } from '../../../src/errors.ts';
import type { GhostShape } from '../../ports/engine.ts';
import type { DockerHost } from '../hosts/docker-host.ts';

export interface LeaseRequest {
  readonly shape: GhostShape;
  /** The key of the shape: hosts where such a ghost waits come first. */
  readonly key: string;
  /** The host must have all of these labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** Hosts where a start has failed, and why; if no host is left, the last reason is the answer. */
  readonly avoid: ReadonlyMap<DockerHost, ClawrdenError>;
  /** How long it takes until the agent's workspace is there, in milliseconds; absent: it is there. */
  readonly behindMs?: (host: DockerHost) => number;
  /** A session there is not for this command, if the agent can have one elsewhere. */
  readonly isLeftOut?: (host: DockerHost) => boolean;
  /** No other host will do: what it needs is there. */
  readonly only?: DockerHost;
}

/** Whether the host can take the work, now or when other work there has ended. */
export function mayTake(host: DockerHost, { shape, labels, avoid, only = host }: LeaseRequest): boolean {
  return (
    host === only &&
    host.state === 'ready' &&
    host.carries(labels) &&
    host.couldFit(shape) &&
    host.images.holds(shape.image) === true &&
    host.workspaces.find(shape.mounts) === undefined &&
    !avoid.has(host)
  );
}

/** Why no host can take it: `no-host`, `image-missing`, `workspace-missing` or the last of `avoid`. */
export function whyNone(hosts: readonly DockerHost[], request: LeaseRequest): ClawrdenError {
  const { shape, labels, avoid } = request;
  const labelled = hosts.filter((host) => host.carries(labels));
  const ready = labelled.filter((host) => host.state === 'ready');
  if (ready.length === 0) return new ClawrdenError('no-host', noneReady(labelled));
  const large = ready.filter((host) => host.couldFit(shape));
  if (large.length === 0) {
    const needs = `${shape.memoryBytes} bytes of memory and ${shape.cpus} cpus`;
    return new ClawrdenError('no-host', `no Docker host that may run it has ${needs} to give`);
  }
  const holding = large.filter((host) => host.images.holds(shape.image) === true);
  if (holding.length === 0) {
    const image = `${shape.image.reference} (${shape.image.id})`;
    return new ClawrdenError('image-missing', `no Docker host that may run it has the image ${image}`);
  }
  const missing = holding.map((host) => host.workspaces.find(shape.mounts));
  return (
    [...avoid.values()].at(-1) ??
    missing.find((error) => error !== undefined) ??
    new ClawrdenError('no-host', 'no Docker host is left')
  );
}

function noneReady(labelled: readonly DockerHost[]): string {
  if (labelled.length === 0) return 'no Docker host carries the labels that this command needs';
  const states = labelled.map(
    ({ name, state, problem }) => `${name} is ${state}${problem && ` (${problem})`}`,
  );
  return `no Docker host is ready: ${states.join(', ')}`;
}
