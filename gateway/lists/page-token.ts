import { ClawrdenError } from '../../src/errors.ts';
import type { Page } from './page.ts';
import type { Seal } from './seal.ts';

/** The list of a token; with the gateway's own start if places do not survive it. */
export type TokenKind = string;

/** What its reader can only give back. */
export function toToken(seal: Seal, kind: TokenKind, place: readonly (number | string)[]): string {
  return seal.close(JSON.stringify([kind, ...place]));
}

/** The token of the page behind this one; empty if there is none. */
export function tokenBehind<Row>(
  page: Page<Row, unknown>,
  seal: Seal,
  kind: TokenKind,
  placeOf: (last: Row) => readonly (number | string)[],
): string {
  const last = page.rows.at(-1);
  return page.more() && last !== undefined ? toToken(seal, kind, placeOf(last)) : '';
}

/** The place; `undefined` for an empty token, which means the beginning. Refuses a token of another list. */
export function fromToken(seal: Seal, kind: TokenKind, token: string): readonly unknown[] | undefined {
  if (token === '') return undefined;
  const text = seal.open(token);
  const parsed: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!Array.isArray(parsed) || parsed[0] !== kind) throw foreignToken();
  return parsed.slice(1);
}

/** The place as whole numbers; exactly `count` of them, if that is given. */
export function numbersOf(
  seal: Seal,
  kind: TokenKind,
  token: string,
  count?: number,
): readonly number[] | undefined {
  const place = fromToken(seal, kind, token);
  if (place === undefined) return undefined;
  const numbers = place.filter((item) => Number.isSafeInteger(item)) as number[];
  if (numbers.length !== place.length || numbers.length !== (count ?? place.length)) throw foreignToken();
  return numbers;
}

export function foreignToken(): Error {
  return new ClawrdenError(
    'request-invalid',
    'page_token (over HTTP: cursor) does not belong to this list now: begin again without one',
  );
}
