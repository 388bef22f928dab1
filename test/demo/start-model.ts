import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LabHost } from '../lab/lab-host.ts';

export interface Model extends AsyncDisposable {
  readonly url: string;
  /** This process may end while the model goes on; it ends with its host. */
  readonly release: () => void;
}

/** The scripted model, on the network of a host of the lab. */
export async function startModel(host: LabHost, key: string): Promise<Model> {
  const main = join(import.meta.dirname, 'model-main.ts');
  const [program = '', ...args] = host.onNetwork([process.execPath, main, host.address]);
  const env = { ...process.env, MODEL_KEY: key };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [port] = (await once(child, 'message', { signal: AbortSignal.timeout(30_000) })) as [number];
  return {
    url: `http://${host.address}:${port}/`,
    release: () => {
      child.channel?.unref();
      child.unref();
    },
    [Symbol.asyncDispose]: async () => {
      const ended = child.exitCode ?? child.signalCode ?? once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
