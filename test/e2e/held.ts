import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stack } from '../stack/start-stack.ts';

/** A command that waits for a token of this name in the workspace, and takes it; see `layScript`. */
export function untilLetGo(name: string): string[] {
  const take = `for t in /app/${name}-*; do rmdir "$t" 2>/dev/null && exit; done`;
  return ['sh', '/app/do', `while :; do ${take}; usleep 50000; done`];
}

/** Ends that many of those commands, running ones and later ones. */
export async function letGo(stack: Stack, agent: string, name: string, count: number): Promise<void> {
  const tokens = Array.from({ length: count }, () => `${name}-${randomUUID()}`);
  await Promise.all(tokens.map((token) => mkdir(join(stack.workspaceOf(agent), token))));
}

/** Every reader of the named pipe sees its end; does nothing if there is no reader. */
export async function endReaders(pipe: string): Promise<void> {
  const writer = await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
  await writer?.close();
}
