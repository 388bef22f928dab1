import type { CarrierRole } from './carrier-error.ts';

export interface SessionOptions {
  /** Its errors name it. */
  readonly role?: CarrierRole;
  readonly silenceMs?: number;
}

export const defaultSilenceMs = 120_000;

/** What of an answer that cannot be handed on is still read, so that the carrier can be asked again. */
export const droppedMost = 32 * 1024 * 1024;
