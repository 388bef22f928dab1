import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findAgent, type KnownAgent } from '../../../../config/known-agent.ts';
import type { RelayConfig } from '../../../../config/relay-config.ts';
import { tell } from '../../../print/tell.ts';
import { messageOf } from '../../doctor/finding.ts';
import { refuse } from './refuse.ts';

const mostMs = 10_000;
const everyMs = 100;

/** The agent, once its relay was told of it and has made its jail and its socket. Throws if it has not in 10 s. */
export async function waitForPlaces(
  name: string,
  config: RelayConfig,
  command = 'agent run',
): Promise<KnownAgent> {
  const deadline = performance.now() + mostMs;
  for (let isTold = false; ; isTold = true) {
    const found = await look(name, config, command);
    if (typeof found !== 'string') return found;
    if (performance.now() > deadline)
      throw refuse(
        `${found}, and the relay has not made it in 10 s`,
        'see agents of gateway.yaml, and whether the relay runs',
        command,
      );
    if (!isTold) tell(`clawrden: ${command}: ${found}; waiting 10 s for the relay`);
    await sleep(everyMs);
  }
}

/** A line about what is missing, if something is. */
async function look(name: string, config: RelayConfig, command: string): Promise<KnownAgent | string> {
  try {
    const known = await findAgent(config, name);
    if (known === undefined) return `the relay was told of no agent ${name}`;
    const { agent, jail } = known.places;
    const folder = dirname(agent.socket);
    if (!(await is('folder', jail)) || !(await is('file', join(jail, '.shim'))))
      return `there is no jail ${jail}`;
    if (!(await is('folder', folder)) || !(await is('socket', agent.socket)))
      return `there is no socket ${agent.socket}`;
    return known;
  } catch (error) {
    throw refuse(messageOf(error), 'run this as root, or as the user of the relay', command);
  }
}

/** Whether it is one itself, and not a link to one. */
async function is(kind: 'folder' | 'file' | 'socket', path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    if (kind === 'socket') return found.isSocket();
    return kind === 'file' ? found.isFile() : found.isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
