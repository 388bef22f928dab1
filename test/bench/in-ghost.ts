import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentContainer } from '../lab/agent-container.ts';
import type { Stack } from '../stack/start-stack.ts';

/** Puts `egress-client.mjs` into the workspace of an agent, whose ghosts run it. */
export async function putClient(stack: Stack, agent: string): Promise<void> {
  await copyFile(
    join(import.meta.dirname, 'egress-client.mjs'),
    join(stack.workspaceOf(agent), 'client.mjs'),
  );
}

/** Runs it to its end: the numbers that it prints. */
export type RunClient = (way: string, what: string, port: number, count: number) => Promise<number[]>;

export function clientOf(agent: AgentContainer, address: string): RunClient {
  return async (way, what, port, count) => {
    const argv = clientArgv(way, what, address, port, count);
    const { code, stdout, stderr } = await agent.exec(argv, { timeout: 300_000 });
    if (code !== 0) throw new Error(`${argv.join(' ')}: exit ${code}: ${stderr}`);
    return stdout.trim().split('\n').map(Number);
  };
}

export function clientArgv(
  way: string,
  what: string,
  address: string,
  port: number,
  count: number,
): string[] {
  return ['node', 'client.mjs', way, what, address, String(port), String(count)];
}

/** Resolves when the client says `word`. */
export async function untilSaid(child: ChildProcessWithoutNullStreams, word: string): Promise<void> {
  const said = once(child.stdout, 'data', { signal: AbortSignal.timeout(60_000) });
  const [line] = (await Promise.race([said, once(child, 'exit')])) as [unknown];
  if (String(line) !== `${word}\n`)
    throw new Error(`a client did not say ${word} but ended: ${String(line)}`);
}

export async function endInput(child: ChildProcessWithoutNullStreams): Promise<void> {
  const ended = once(child, 'exit');
  child.stdin.end();
  await ended;
}
