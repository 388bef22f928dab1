import { attempt, run } from './command.ts';
import { bridgeName, type HostNames } from './names.ts';
import { endWires, startWire } from './wire.ts';

/** Puts a slow wire between the host's link and the bridge, half of the delay in each direction; 0 removes it. */
export async function delayLink(host: HostNames, milliseconds: number): Promise<void> {
  const [near, far] = host.detour;
  const bridge = bridgeName(host.id);
  await endWires(host.link);
  await attempt(['ip', 'link', 'delete', near]);
  if (milliseconds === 0) return void (await run(['ip', 'link', 'set', host.link, 'master', bridge]));
  await run(['ip', 'link', 'set', host.link, 'nomaster']);
  await run(['ip', 'link', 'add', near, 'type', 'veth', 'peer', 'name', far]);
  // Like the host's link it must not answer for the machine, or packets would bypass the wire.
  await run(['ip', 'link', 'set', near, 'arp', 'off', 'up']);
  await run(['ip', 'link', 'set', far, 'master', bridge, 'up']);
  await startWire(host, Math.round((milliseconds * 1000) / 2));
}
