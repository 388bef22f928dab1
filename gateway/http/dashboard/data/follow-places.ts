import { onAbort } from '../../../../src/abort.ts';

/** At most so many commands are followed at once by all pages of a browser: it has few connections to one origin. */
const places = 3;
const prefix = 'clawrden-follow ';

/**
 * Resolves with a signal that aborts when another page has taken this place over: the fourth one takes the oldest's.
 * The place is given back when `signal` aborts.
 */
export async function takeFollowPlace(signal: AbortSignal): Promise<AbortSignal> {
  const lost = new AbortController();
  await navigator.locks.request(`${prefix}turn`, { signal }, async () => {
    const { held = [] } = await navigator.locks.query();
    const names = held.map(({ name = '' }) => name).filter((name) => /^clawrden-follow \d/.test(name));
    const oldest = names.toSorted().slice(0, Math.max(0, names.length - places + 1));
    for (const name of oldest) await navigator.locks.request(name, { steal: true }, () => {});
    await hold(`${prefix}${Date.now()} ${crypto.randomUUID()}`, signal, lost);
  });
  return lost.signal;
}

/** Resolves when it is held. */
function hold(name: string, signal: AbortSignal, lost: AbortController): Promise<void> {
  return new Promise((begun) => {
    const untilGone = () =>
      new Promise<void>((resolve) => {
        begun();
        onAbort(signal, resolve);
      });
    navigator.locks.request(name, untilGone).catch(() => lost.abort());
  });
}
