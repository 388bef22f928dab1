import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/plan.ts';

/** What the first record of a log has for `prev`. */
export const firstLink = '0'.repeat(64);

/** The link of one record: SHA-256 of its canonical JSON without `hash`. */
export function linkHash(body: object): string {
  return createHash('sha256').update(canonicalJson(body)).digest('hex');
}
