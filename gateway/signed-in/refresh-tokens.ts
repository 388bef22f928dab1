import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSecretFile } from '../../src/pki/secret-file.ts';

/** What the provider takes for the groups of a person who signed in before: a file for each, for our user alone. */
export interface RefreshTokens {
  readonly read: (name: string) => Promise<string | undefined>;
  readonly keep: (name: string, token: string) => Promise<void>;
  readonly forget: (name: string) => Promise<void>;
}

/** Names are those of people: `isPeerName` holds. */
export function createRefreshTokens(folder: string): RefreshTokens {
  const fileOf = (name: string) => join(folder, `${name}.token`);
  return {
    read: (name) => readFile(fileOf(name), 'utf8').catch(orNone),
    keep: async (name, token) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(name);
      await writeSecretFile(`${file}.new`, token);
      await rename(`${file}.new`, file);
    },
    forget: (name) => rm(fileOf(name), { force: true }),
  };
}

function orNone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
