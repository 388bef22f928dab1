import { chown, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RelayConfig } from './config/relay-config.ts';

type Places = Pick<RelayConfig, 'state'>;

/** The folder in the relay's state of an agent's sandbox. */
export function sandboxFolder({ state }: Places, agent: string): string {
  return join(state, 'guarded', agent);
}

/** A file that is there as long as the sandbox may run: to remove it needs no room on any disk. */
export function sandboxMark(places: Places, agent: string): string {
  return join(sandboxFolder(places, agent), 'runs');
}

/** The folder is the relay's, also if root starts the sandbox. */
export async function makeSandboxFolder(places: Places, agent: string): Promise<string> {
  const folder = sandboxFolder(places, agent);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, gid } = await stat(places.state);
  if (process.geteuid?.() === 0)
    for (const each of [join(places.state, 'guarded'), folder]) await chown(each, uid, gid);
  return folder;
}

/** Rejects if there is no room for it. */
export async function markSandbox(places: Places, agent: string): Promise<void> {
  await writeFile(sandboxMark(places, agent), '', { mode: 0o600 });
}

/** The sandboxes of these agents end within a second. */
export async function endSandboxes(places: Places, agents: readonly string[]): Promise<void> {
  await Promise.all(agents.map((agent) => rm(sandboxMark(places, agent), { force: true })));
}
