export type CarrierRole = 'home' | 'replica';

/**
 * What a carrier says instead of an answer. `refused` and a lost stream end the session; `failed` ends the operation:
 * nothing was moved.
 */
export class CarrierError extends Error {
  override name = 'CarrierError';
  readonly code: string;
  readonly text: string;
  /** Which of the two said it, if its session knows. */
  role: CarrierRole | undefined;

  constructor(code: string, text: string) {
    super(`${code}: ${text}`);
    this.code = code;
    this.text = text;
  }
}

/** From the payload of `failed` or `refused`: `code: text`. */
export function carrierErrorOf(payload: Buffer): CarrierError {
  const said = payload.toString();
  const [, code = 'carrier-failed', text = said] = /^([a-z0-9-]+): (.*)$/s.exec(said) ?? [];
  return new CarrierError(code, text);
}
