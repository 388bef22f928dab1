import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditLine, Stack } from '../stack/start-stack.ts';
import { untilAudited } from './life.ts';
import { type Typed, typed } from './typed.ts';

/** What a test of real clients does with the agent `coder` of a stack. */
export interface ClientCommands {
  /** A path in its workspace. */
  readonly app: (name: string) => string;
  readonly type: (...argv: string[]) => Promise<Typed>;
  readonly own: (name: string, text: string, mode?: number) => Promise<void>;
  /** From here on connections are new. */
  readonly forget: () => Promise<void>;
  /** The new ones, at least so many: each connection has its record after its end. */
  readonly reached: (least?: number) => Promise<readonly AuditLine[]>;
}

/** `stack`: it is started later. */
export function clientCommands(stack: () => Stack): ClientCommands {
  let told = 0;
  const app = (name: string) => join(stack().workspaceOf('coder'), name);
  return {
    app,
    type: async (...argv) => await typed(stack().agents['coder']!, argv),
    own: async (name, text, mode = 0o644) => {
      await writeFile(app(name), text, { mode });
      await chown(app(name), 1000, 1000);
    },
    forget: async () => {
      told = (await stack().audit()).filter(({ type }) => type === 'connection').length;
    },
    reached: async (least = 1) =>
      (await untilAudited(stack(), 'connection', () => true, { count: told + least })).slice(told),
  };
}
