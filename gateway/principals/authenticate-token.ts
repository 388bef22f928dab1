import { createWrongTries } from '../connections/wrong-tries.ts';
import type { TokenAuthentication } from '../ports/known-principals.ts';
import { notValid, type TokenTable } from './token-table.ts';
import { digestOf } from './token-text.ts';
import type { TokenUses } from './token-uses.ts';

/** Lets in who shows an API token that counts, and bounds how often a source may be wrong. */
export function createAuthenticateToken(
  tokens: Pick<TokenTable, 'find' | 'problemOf'>,
  uses: Pick<TokenUses, 'knows' | 'note'>,
  tries = createWrongTries(),
): TokenAuthentication['authenticateToken'] {
  return (text, from) => {
    const digest = digestOf(text);
    const entry = tokens.find(digest);
    // Others behind the same address may be wrong: they shut nobody out who was let in from there.
    const isKnown = entry !== undefined && uses.knows(entry.name, from);
    const waitMs = isKnown ? 0 : tries.waitMs(from);
    if (waitMs > 0) return { refused: 'too many wrong API tokens came from this address', waitMs };
    const refused = tokens.problemOf(digest, 'isOver');
    if (entry === undefined || refused !== undefined) {
      tries.note(from);
      return { refused: refused ?? notValid, waitMs: 0 };
    }
    uses.note(entry.name, from);
    const check = () => {
      const problem = tokens.problemOf(digest, 'hasRunOut');
      return problem === undefined ? { value: entry.principal } : { refused: problem };
    };
    return { value: entry.principal, check };
  };
}
