import { firstBytes } from '../text/first-bytes.ts';
import { escapeUnprintable } from '../text/render-text.ts';

export type CarrierRole = 'home' | 'replica';

interface CarrierErrorOptions {
  readonly isOver?: boolean;
  readonly role?: CarrierRole | undefined;
}

/** What a carrier says for people: more is not read. */
const saidMost = 512;

/**
 * What a carrier says instead of an answer. `refused` and a lost stream end the session; `failed` ends the operation:
 * nothing was moved.
 */
export class CarrierError extends Error {
  override name = 'CarrierError';
  readonly code: string;
  readonly text: string;
  /** Its session is of no use any more. */
  readonly isOver: boolean;
  /** Which of the two said it, if its session knows. */
  role: CarrierRole | undefined;

  constructor(code: string, text: string, { isOver = false, role }: CarrierErrorOptions = {}) {
    super(`${code}: ${text}`);
    this.code = code;
    this.text = text;
    this.isOver = isOver;
    this.role = role;
  }
}

/** From the payload of `failed` or `refused`: `code: text`. */
export function carrierErrorOf(payload: Buffer, options: { readonly isOver: boolean }): CarrierError {
  const said = escapeUnprintable(firstBytes(payload.subarray(0, saidMost).toString(), saidMost));
  const [, code = 'carrier-failed', text = said] = /^([a-z0-9-]+): (.*)$/s.exec(said) ?? [];
  return new CarrierError(code, text, options);
}
