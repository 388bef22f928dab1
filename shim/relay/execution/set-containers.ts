import { ClawrdenError } from '../../../src/errors.ts';
import type { ConcernedContainer, ContainerFinder, Whose } from './find-container.ts';

export interface Containers {
  readonly finder: Pick<ContainerFinder, 'all'>;
  /** Ids of those that did not end and were paused. */
  readonly held: Set<string>;
}

export type RunState = 'running' | 'paused' | 'killed';

/** Docker's statuses for "it is already so" and "it does not exist". */
const nothingToDo: ReadonlySet<unknown> = new Set([304, 404, 409]);
const mostNamed = 3;
/** Half of what a relay has for all: the rest is for what then has to be done instead. */
const endsWithinMs = 1500;

/**
 * Brings the agent's containers into a state. What is to halt counts as halted once a look finds it so: an engine also
 * refuses to pause a container that it is about to start again. Rejects with a line for people.
 */
export async function setContainers(
  { finder, held }: Containers,
  whose: Whose,
  state: RunState,
  signal: AbortSignal,
): Promise<void> {
  const found = await finder.all(whose, signal);
  const meant = found.filter((one) => one.spared === '' && !isSo(one, state));
  const faults = await Promise.all(meant.map((one) => setOne(one, held, state, signal)));
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
  { name, container, isPaused }: ConcernedContainer,
  held: Set<string>,
  state: RunState,
  abortSignal: AbortSignal,
): Promise<string> {
  // Somebody let it run.
  if (!isPaused) held.delete(container.id);
  try {
    if (state === 'paused') await container.pause({ abortSignal });
    else if (state === 'killed') {
      // Docker lets it run for another kill, and takes it for paused then.
      if (isPaused && held.has(container.id)) return heldText(name);
      return await kill({ name, container, isPaused }, held, abortSignal);
    } else {
      held.delete(container.id);
      await container.unpause({ abortSignal });
    }
    return '';
  } catch (error) {
    const { statusCode, message } = error as { statusCode?: number; message?: string };
    return nothingToDo.has(statusCode) ? '' : `container ${name}: ${message ?? String(error)}`;
  }
}

/**
 * A container ends with its first process, and its others may keep that from any processor, as they have its user: one
 * that does not end in time is paused, which no process can put off.
 */
async function kill(
  { name, container, isPaused }: Pick<ConcernedContainer, 'name' | 'container' | 'isPaused'>,
  held: Set<string>,
  signal: AbortSignal,
): Promise<string> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(endsWithinMs)]);
  try {
    // For the kill Docker lets it run, and goes on to take it for paused: then it could not be paused again. One that it
    // takes for paused and that runs already is refused this, and killed all the same.
    if (isPaused) await container.unpause({ abortSignal: soon }).catch(() => {});
    await container.kill({ abortSignal: soon });
    return '';
  } catch (error) {
    const isGone = nothingToDo.has((error as { readonly statusCode?: number }).statusCode);
    if (isGone || signal.aborted || !soon.aborted) throw error;
    await container.pause({ abortSignal: signal });
    held.add(container.id);
    return heldText(name);
  }
}

function heldText(name: string): string {
  return `container ${name} does not end and is paused: nothing in it runs; remove it`;
}

function lineOf({ name, spared }: ConcernedContainer, state: RunState): string {
  return spared || `container ${name} is not ${state}`;
}

function linesOf(lines: readonly string[]): string {
  const more = lines.length > mostNamed ? `; and ${lines.length - mostNamed} more` : '';
  return lines.slice(0, mostNamed).join('; ') + more;
}
