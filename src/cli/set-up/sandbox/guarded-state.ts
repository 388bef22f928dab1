import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { RelayConfig } from '../../../config/relay-config.ts';
import { lockFolder } from '../../../lock.ts';
import { makeSandboxFolder } from '../../../sandbox-mark.ts';

const noted = z.strictObject({ root: z.string(), absent: z.array(z.string()).max(100) });

/** What was absent in a workspace when a sandbox was started; gone again once that was looked after. */
export type Noted = z.infer<typeof noted>;

/** The folder in the relay's state for what was taken from an agent's workspace. One sandbox of an agent at a time. */
export interface GuardedState extends Disposable {
  readonly folder: string;
  /** Of a sandbox that was killed before its end. */
  readonly left: Noted | undefined;
  readonly note: (what: Noted) => Promise<void>;
  readonly forget: () => Promise<void>;
}

/** Throws a line for people if another sandbox of the agent runs. */
export async function openGuardedState(
  { state }: Pick<RelayConfig, 'state'>,
  agent: string,
): Promise<GuardedState> {
  const folder = await makeSandboxFolder({ state }, agent);
  const lock = lockFolder(folder, 'sandbox');
  const file = join(folder, 'absent.json');
  const text = await readFile(file, 'utf8').catch(() => '');
  return {
    folder,
    left: text === '' ? undefined : noted.parse(JSON.parse(text)),
    note: async (what) => {
      await writeFile(`${file}~`, JSON.stringify(what), { mode: 0o600 });
      await rename(`${file}~`, file);
    },
    forget: () => rm(file, { force: true }),
    [Symbol.dispose]: () => lock[Symbol.dispose](),
  };
}
