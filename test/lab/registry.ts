import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../stack/free-port.ts';
import { run } from './command.ts';
import type { Lab } from './lab.ts';
import type { LabHost } from './lab-host.ts';
import { waitUntil } from './wait.ts';

/** Debian's docker-registry on this machine; every host of the lab reaches it and may use it without TLS. */
export interface Registry extends AsyncDisposable {
  /** `HOST:PORT`, the first part of the names of its images. */
  readonly address: string;
  /**
   * Puts an image of the host into it, as `repository`; returns `HOST:PORT/repository@sha256:…`. No trace stays on
   * the host.
   */
  readonly push: (host: LabHost, image: string, repository: string) => Promise<string>;
}

export async function startRegistry(lab: Lab): Promise<Registry> {
  const address = `${lab.machine}:${await freePort()}`;
  const dir = join(lab.dir, 'registry');
  await mkdir(dir, { recursive: true });
  const config = join(dir, 'config.yml');
  const settings = {
    version: '0.1',
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(dir, 'data') } },
    http: { addr: address },
  };
  await writeFile(config, stringify(settings));
  const argv = ['--pdeathsig', 'KILL', 'docker-registry', 'serve', config];
  const child = spawn('setpriv', argv, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await waitUntil('the registry', 10_000, () => answersAt(address));
  return {
    address,
    push: (host, image, repository) => push(host, image, `${address}/${repository}:pushed`),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function push(host: LabHost, image: string, name: string): Promise<string> {
  const docker = (args: readonly string[]) => run(['docker', '-H', `unix://${host.socket}`, ...args]);
  await docker(['tag', image, name]);
  const said = await docker(['push', name]);
  await docker(['rmi', name]);
  const digest = /digest: (sha256:[0-9a-f]{64})/.exec(said)?.[1];
  if (digest === undefined) throw new Error(`the registry told no digest: ${said}`);
  return `${name.slice(0, name.lastIndexOf(':'))}@${digest}`;
}

function answersAt(address: string): Promise<boolean> {
  return fetch(`http://${address}/v2/`).then(
    ({ ok }) => ok,
    () => false,
  );
}
