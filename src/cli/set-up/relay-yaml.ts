import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { Enrolled } from '../../gateway-client/enroll.ts';

/** Fills in what the gateway knows; only the agent host knows its containers and users. */
export async function writeRelayYaml(file: string, { relay, agents, gateway }: Enrolled): Promise<void> {
  const entries = agents.map((name) => ({
    name,
    socket: `/run/clawrden/${name}/warden.sock`,
    container: name,
    users: ['1000:1000'],
  }));
  const text = `# The relay ${relay}. docs/reference.md explains every key; relative paths are relative to this file.
${stringify({ gateway, identity: '.' })}
# The engine that runs the agents' containers on this machine.
docker: unix:///var/run/docker.sock
state: state

# The folder of each socket is mounted into its agent's container; its parent must be closed to everyone else (0700).
${stringify({ agents: entries })}`;
  await writeFile(file, text, { mode: 0o600, flag: 'wx' });
}
