import { open, readFile, rename } from 'node:fs/promises';
import type { Logger } from 'pino';
import { formatTold, parseTold, type ToldAgent, toldPath } from '../../../src/config/told-agents.ts';

/** What the gateway told last, on the disk: a relay that starts without a gateway serves it. */
export interface ToldFile {
  /** Empty if nothing was told, or if the file is damaged; the log says so. */
  readonly read: () => Promise<readonly ToldAgent[]>;
  /**
   * Replaces the file in one step. Never rejects: if it cannot be written, resolves with why, the log says so, and the
   * agents are served. Empty if it was.
   */
  readonly write: (agents: readonly ToldAgent[]) => Promise<string>;
}

export function createToldFile(state: string, log: Logger): ToldFile {
  const file = toldPath(state);
  return {
    read: async () => {
      try {
        return parseTold(await readFile(file, 'utf8'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        log.error(
          { file },
          'the file is damaged: its agents are served once the gateway tells of them again',
        );
        return [];
      }
    },
    write: (agents) =>
      replaceFile(file, formatTold(agents)).then(
        () => '',
        ({ message }: Error) => {
          log.error({ file }, `the agents cannot be kept for the next start: ${message}`);
          return message;
        },
      ),
  };
}

async function replaceFile(file: string, text: string): Promise<void> {
  const fresh = `${file}~`;
  const handle = await open(fresh, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
}
