import { isDeepStrictEqual } from 'node:util';
import { abortable } from '../../src/abort.ts';
import { readSecret } from '../../src/config/secret-field.ts';
import type { SecretSource } from '../../src/config/secret-source.ts';
import { ClawrdenError } from '../../src/errors.ts';

/** The value of a secret as it is now. Rejects with one line that names it, and never says what was read. */
export type Secret = (name: string, signal: AbortSignal) => Promise<Buffer>;

interface Run {
  readonly source: SecretSource;
  readonly value: Promise<string>;
  readonly until: number;
}

/**
 * Read at each use: who replaces a file, or what is in it, need not tell the gateway. What a command wrote is used for
 * as long as its `ttl`, by all who ask meanwhile.
 */
export function openSecrets(sources: () => ReadonlyMap<string, SecretSource>): Secret {
  const runs = new Map<string, Run>();

  function read(name: string, source: SecretSource): Promise<string> {
    const at = `secrets.${name}`;
    if (!('command' in source)) return readSecret(source, at);
    const before = runs.get(name);
    const isSame = before !== undefined && isDeepStrictEqual(before.source, source);
    if (isSame && performance.now() < before.until) return before.value;
    const value = readSecret(source, at);
    runs.set(name, { source, value, until: performance.now() + source.ttl });
    value.catch(() => runs.get(name)?.value === value && runs.delete(name));
    return value;
  }

  return async (name, signal) => {
    signal.throwIfAborted();
    const source = sources().get(name);
    if (source === undefined) throw new ClawrdenError('internal', `there is no secret ${name}`);
    return Buffer.from(await abortable(read(name, source), signal));
  };
}
