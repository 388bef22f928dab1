import { rename } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { Enrolled } from '../../gateway-client/enroll.ts';
import { writeSecretFile } from '../../pki/secret-file.ts';
import { trustOf } from '../../pki/trust-file.ts';

/** Fills in what the gateway knows; it tells the relay of its agents. */
export async function writeRelayYaml(
  file: string,
  { name: relay, gateway }: Enrolled,
  trust: string | undefined,
): Promise<void> {
  const text = `# The relay ${relay}. docs/reference.md explains every key; relative paths are relative to this file.
${stringify({ gateway, identity: '.', ...trustOf(trust) })}
# The engine that runs the agents' containers on this machine.
docker: unix:///var/run/docker.sock
# Here the relay keeps the two folders that each agent's container has mounted: agents/NAME/socket and agents/NAME/bin.
state: state
`;
  // A part of it would be kept as it was.
  await writeSecretFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
