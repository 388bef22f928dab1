import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const run = promisify(execFile);

export const hasTmux = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'tmux')));

/** A terminal of 100 by 30 with a shell in it. */
export interface Terminal extends AsyncDisposable {
  readonly type: (...keys: string[]) => Promise<void>;
  /** The present content, one row a line. */
  readonly screen: () => Promise<string>;
  /** Resolves with the screen when it matches. */
  readonly shows: (text: RegExp, withinMs?: number) => Promise<string>;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  readonly paste: (text: string) => Promise<void>;
  /** `0 1` if the screen is the normal one and has a cursor. */
  readonly modes: () => Promise<string>;
  /** Sends a signal to the program that the shell runs. */
  readonly signal: (signal: string) => Promise<void>;
}

export async function openTerminal(): Promise<Terminal> {
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-tty-'));
  const tmux = async (...args: string[]) =>
    (await run('tmux', ['-S', join(dir, 's'), '-f', '/dev/null', ...args])).stdout;
  const env = { ...process.env, PS1: 'shell$ ', LC_ALL: 'C.UTF-8', ENV: '' };
  const size = ['-x', '100', '-y', '30'];
  await run('tmux', ['-S', join(dir, 's'), '-f', '/dev/null', 'new-session', '-d', ...size, 'sh'], { env });
  const screen = async () => (await tmux('capture-pane', '-p')).replaceAll(/ +$/gm, '');
  return {
    screen,
    type: async (...keys) => void (await tmux('send-keys', ...keys)),
    shows: async (text, withinMs = 30_000) => {
      await expect.poll(screen, { timeout: withinMs, interval: 30 }).toMatch(text);
      return await screen();
    },
    resize: async (columns, rows) =>
      void (await tmux('resize-window', '-x', String(columns), '-y', String(rows))),
    paste: async (text) => {
      await tmux('set-buffer', text);
      await tmux('paste-buffer', '-p');
    },
    modes: () => tmux('display-message', '-p', '#{alternate_on} #{cursor_flag}'),
    signal: async (signal) => {
      const shell = (await tmux('display-message', '-p', '#{pane_pid}')).trim();
      await run('pkill', [`-${signal}`, '-P', shell]);
    },
    [Symbol.asyncDispose]: async () => {
      await tmux('kill-server').catch(() => {});
      await rm(dir, { recursive: true, force: true });
    },
  };
}
