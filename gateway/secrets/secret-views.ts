import type { SecretSource } from '../../src/config/secret-source.ts';
import type { SecretView } from '../ports/secret-view.ts';
import type { Secret } from './open-secrets.ts';

/** A command ends before that. */
const withinMs = 15_000;

/** Which secrets there are, and whether they can be read; what was read is dropped. */
export function createSecretViews(sources: () => ReadonlyMap<string, SecretSource>, secret: Secret) {
  async function problemOf(name: string): Promise<string> {
    try {
      await secret(name, AbortSignal.timeout(withinMs));
      return '';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  return (check: boolean): Promise<SecretView[]> =>
    Promise.all(
      [...sources()].map(async ([name, source]) => ({
        ...{ name, source: kindOf(source) },
        problem: check ? await problemOf(name) : '',
      })),
    );
}

function kindOf(source: SecretSource): SecretView['source'] {
  if ('file' in source) return 'file';
  return 'env' in source ? 'env' : 'command';
}
