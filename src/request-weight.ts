import type { Command } from './command.ts';

/** What a value of a request costs besides its bytes: a name of one byte is as much work as one of thirty. */
export const valueWeight = 32;

/** What a command costs its reader. It counts against the bytes a second of its agent. */
export function weightOf({ tool, args, cwd, env }: Command): number {
  const texts = (all: readonly string[]) =>
    all.reduce((sum, text) => sum + Buffer.byteLength(text) + valueWeight, 0);
  return texts([tool, cwd]) + texts(args) + texts(env);
}
