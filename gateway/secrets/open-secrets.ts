import { readSecret } from '../../src/config/secret-field.ts';
import type { SecretSource } from '../../src/config/secret-source.ts';
import { ClawrdenError } from '../../src/errors.ts';

/** The value of a secret as it is now. Rejects with one line that names it, and never says what was read. */
export type Secret = (name: string, signal: AbortSignal) => Promise<Buffer>;

/** Read at each use: who replaces a file, or what is in it, need not tell the gateway. */
export function openSecrets(sources: ReadonlyMap<string, SecretSource>): Secret {
  return async (name, signal) => {
    signal.throwIfAborted();
    const source = sources.get(name);
    if (source === undefined) throw new ClawrdenError('internal', `there is no secret ${name}`);
    return Buffer.from(readSecret(source, `secrets.${name}`));
  };
}
