import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packageRoot } from '../../src/package-root.ts';

/** The example agent in a folder, until it ends by itself. */
export async function runExampleAgent(folder: string, env: NodeJS.ProcessEnv, task: string) {
  const log = join(folder, 'log.jsonl');
  const child = spawn(process.execPath, [join(packageRoot(), 'examples/agent/agent.ts'), task], {
    cwd: folder,
    env: { PATH: process.env['PATH'], MODEL: 'scripted', AGENT_LOG: log, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  const lines = (await readFile(log, 'utf8')).trim().split('\n');
  const steps = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly why?: string });
  return { code, stdout: await stdout, stderr: await stderr, steps };
}
