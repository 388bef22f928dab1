import { createHash, randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { abortable } from '../../../src/abort.ts';
import type { PlanImage } from '../../../src/plan.ts';
import type { Ghost, GhostPurpose, GhostShape } from '../../ports/engine.ts';
import { containerLabels } from '../container/container-labels.ts';
import { createContainer } from '../container/create-container.ts';
import type { Departures } from '../container/departures.ts';
import { type StartSource, startContainer } from '../container/start-container.ts';
import type { InitVolume } from '../init/init-layout.ts';
import { type InitSource, withInit } from '../init/with-init.ts';
import { createBody } from './create-body.ts';
import { ghostOf } from './ghost.ts';
import { requireVolumes } from './require-volumes.ts';
import { startInit } from './start-init.ts';

/** What all starts on one engine share. */
export interface GhostSource extends StartSource, InitSource {
  readonly gatewayId: string;
  readonly departures: Departures;
  readonly imageVolumes: (image: PlanImage) => Promise<readonly string[]>;
}

/** See `Engine.startGhost`. Rejects at the latest 2 s after `signal` aborts. */
export async function startGhost(
  source: GhostSource,
  shape: GhostShape,
  purpose: GhostPurpose,
  signal: AbortSignal,
): Promise<Ghost> {
  return withInit(source, (init) => attempt(source, shape, purpose, init, signal), signal);
}

async function attempt(
  source: GhostSource,
  shape: GhostShape,
  purpose: GhostPurpose,
  init: InitVolume,
  signal: AbortSignal,
): Promise<Ghost> {
  const known = Promise.all([
    source.imageVolumes(shape.image),
    requireVolumes(source.docker, source.host, shape.mounts),
  ]);
  const [volumes] = await abortable(known, signal);
  const isSession = purpose.session === true;
  const body = createBody(shape, volumes, init, isSession ? ['session'] : []);
  const pool = purpose.pooled ? hashOf(body) : '';
  const labelled = { agent: shape.agent, pool, timeoutMs: purpose.timeoutMs };
  const given = isSession ? 'session-' : '';
  const name = `clawrden-${given}${purpose.executionId ?? randomBytes(6).toString('hex')}`;
  const Labels = containerLabels(source.gatewayId, labelled, Date.now());
  const create = () => createContainer(source.docker, name, { ...body, Labels });
  const { inReplica } = shape;
  const begin = async (container: Docker.Container) => ({
    ...ghostOf(source, container, await startInit(container, signal), body.User ?? ''),
    ...(inReplica !== undefined && { inReplica }),
  });
  return startContainer(source, name, create, begin, signal);
}

function hashOf(body: Docker.ContainerCreateOptions): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}
