import { setTimeout } from 'node:timers/promises';
import type Docker from 'dockerode';
import { abortable } from '../../../src/abort.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import { engineText } from '../engine/engine-errors.ts';
import type { EngineLog } from '../engine/engine-log.ts';
import { removeContainer } from './remove-container.ts';
import type { StartingContainers } from './starting-containers.ts';

export interface StartSource {
  readonly docker: Docker;
  readonly host: string;
  readonly log: EngineLog;
  readonly starting: StartingContainers;
}

/**
 * A failed start waits no longer than this for its removal; on a slower engine the removal continues in the
 * background.
 */
const destroyWaitMs = 2000;

/**
 * A container of this name by `create`, and of it what `begin` makes. No sweep takes it meanwhile, and if it throws,
 * no container is left. What an earlier start under this name left is gone before it begins: it is removed by name.
 */
export async function startContainer<T>(
  source: StartSource,
  name: string,
  create: () => Promise<Docker.Container>,
  begin: (container: Docker.Container) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  await abortable(source.starting.left(name), signal);
  const forget = [source.starting.add(name)];
  const created = create();
  try {
    const container = await abortable(created, signal);
    forget.push(source.starting.add(container.id));
    return await begin(container);
  } catch (error) {
    const cleaned = destroyStarted(source, name, created);
    source.starting.leaving(name, cleaned);
    await Promise.race([cleaned, setTimeout(destroyWaitMs, undefined, { ref: false })]);
    throw error;
  } finally {
    // Only after the caller had a turn to note what it got.
    setImmediate(() => {
      for (const each of forget) each();
    });
  }
}

/** By name, because an engine that does not answer the create may have made the container. */
async function destroyStarted(
  { docker, host, log }: StartSource,
  name: string,
  created: Promise<unknown>,
): Promise<void> {
  await created.catch(() => {});
  try {
    await removeContainer(docker, name);
  } catch (error) {
    log.warn({ host, container: name, why: engineText(error) }, 'a container may be left');
  }
}

/** Why a start was given up. */
export function startEnded({ reason }: AbortSignal): ClawrdenError {
  if (reason instanceof ClawrdenError) return reason;
  const late = reason instanceof Error && reason.name === 'TimeoutError';
  return late
    ? new ClawrdenError('start-timeout', 'the container did not start in time', { cause: reason })
    : new ClawrdenError('canceled', 'the start was canceled', { cause: reason });
}
