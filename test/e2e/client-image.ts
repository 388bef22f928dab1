import { readlink } from 'node:fs/promises';
import { run } from '../lab/command.ts';
import { nodeImage } from '../lab/images/catalogue.ts';
import type { LabHost } from '../lab/lab-host.ts';

/** The lab's node image with ssh and pip of this machine, whose Debian it has, and what an operator says. */
export const clientImage = 'clawrden-lab/clients:latest';

/** The variables of an image are where an operator says which key, which hosts and which authorities count. */
const variables = {
  GIT_SSH_COMMAND: 'ssh -i /run/secrets/deploy -o UserKnownHostsFile=/app/.known_hosts',
  GIT_SSL_CAINFO: '/app/ca.pem',
  PIP_CERT: '/app/ca.pem',
};

export async function makeClientImage(host: LabHost): Promise<void> {
  const docker = ['docker', '-H', `unix://${host.socket}`];
  const id = (await run([...docker, 'create', nodeImage])).trim();
  const python = `usr/lib/${await readlink('/usr/bin/python3')}`;
  const files = ['usr/bin/ssh', 'usr/bin/pip3', python, 'usr/lib/python3/dist-packages/pip'];
  const tar = `tar -C / --exclude=__pycache__ --exclude='config-*' -cf - ${files.join(' ')}`;
  await run(['sh', '-ec', `${tar} | "$@"`, 'sh', ...docker, 'cp', '-', `${id}:/`], { timeout: 300_000 });
  const changes = Object.entries(variables).flatMap(([name, text]) => ['--change', `ENV ${name}="${text}"`]);
  await run([...docker, 'commit', ...changes, id, clientImage]);
  await run([...docker, 'rm', id]);
}

export async function removeClientImage(host: LabHost): Promise<void> {
  await host.docker(['rmi', '-f', clientImage]);
}
