import { ClawrdenError } from '../../../src/errors.ts';
import type { ConcernedContainer, ContainerFinder, Whose } from './find-container.ts';

export type RunState = 'running' | 'paused' | 'killed';

/** Docker's statuses for "it is already so" and "it does not exist". */
const nothingToDo: ReadonlySet<unknown> = new Set([304, 404, 409]);
const mostNamed = 3;

/**
 * Brings the agent's containers into a state. What is to halt counts as halted once a look finds it so: an engine also
 * refuses to pause a container that it is about to start again. Rejects with a line for people.
 */
export async function setContainers(
  finder: Pick<ContainerFinder, 'all'>,
  whose: Whose,
  state: RunState,
  signal: AbortSignal,
): Promise<void> {
  const found = await finder.all(whose, signal);
  const meant = found.filter((one) => one.spared === '' && !isSo(one, state));
  const faults = await Promise.all(meant.map((one) => setOne(one, state, signal)));
  const fault = faults.find((text) => text !== '');
  const isHalt = state !== 'running';
  const left = isHalt ? (meant.length > 0 ? await finder.all(whose, signal) : found) : [];
  const running = left.filter((one) => !isSo(one, state)).map((one) => lineOf(one, state));
  if (running.length > 0)
    throw new ClawrdenError('host-lost', linesOf(running) + (fault ? ` (${fault})` : ''));
  if (fault !== undefined && !isHalt) throw new ClawrdenError('host-lost', fault);
}

/** A container that was spared and is paused does not run. */
function isSo({ isPaused, spared }: ConcernedContainer, state: RunState): boolean {
  if (state === 'running') return !isPaused;
  return isPaused && (state === 'paused' || spared !== '');
}

/** Resolves with what went wrong; empty if nothing did, or if it was so already. */
async function setOne(
  { name, container }: ConcernedContainer,
  state: RunState,
  abortSignal: AbortSignal,
): Promise<string> {
  try {
    if (state === 'paused') await container.pause({ abortSignal });
    else if (state === 'killed') await container.kill({ abortSignal });
    else await container.unpause({ abortSignal });
    return '';
  } catch (error) {
    const { statusCode, message } = error as { statusCode?: number; message?: string };
    return nothingToDo.has(statusCode) ? '' : `container ${name}: ${message ?? String(error)}`;
  }
}

function lineOf({ name, spared }: ConcernedContainer, state: RunState): string {
  return spared || `container ${name} is not ${state}`;
}

function linesOf(lines: readonly string[]): string {
  const more = lines.length > mostNamed ? `; and ${lines.length - mostNamed} more` : '';
  return lines.slice(0, mostNamed).join('; ') + more;
}
