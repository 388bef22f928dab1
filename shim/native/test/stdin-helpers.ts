import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RelayConnection } from './fake-relay.ts';

/** Bytes of credit that are granted beyond what the tool has read. */
export const window = 262_144;

/** More than any pipe holds. */
export const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join('');

export const sha = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** Resolves when no more bytes are on their way. */
export async function quiet(relay: RelayConnection): Promise<void> {
  for (let seen = -1; seen !== relay.stdin.length; await sleep(100)) seen = relay.stdin.length;
}

/** Reads stdin to its end, like an init whose tool reads everything. */
export async function readOn(relay: RelayConnection): Promise<void> {
  let granted = window;
  relay.credit(granted);
  while (!relay.stdinEnded) {
    await relay.inbox.until(() => relay.stdinEnded || relay.stdin.length > granted - window);
    const more = relay.stdin.length - (granted - window);
    relay.credit(more);
    granted += more;
  }
}
