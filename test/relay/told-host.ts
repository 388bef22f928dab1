import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import type { RelayState } from '../../gateway/ports/relay-state.ts';
import { type GatewayOptions, relay, startTestGateway, type TestGateway } from '../grpc/gateway.ts';
import { run } from '../lab/command.ts';
import { relayProgram } from '../stack/launcher.ts';
import { type Program, startProgram } from '../stack/program.ts';

export type Told = RelayState['agents'][number];

export const told = (name: string, uid = 1000): Told => ({
  ...{ name, tools: ['ls'], paused: false, killed: false },
  users: [{ uid, gid: uid }],
});

/** The relay's program, in front of a gateway that tells it what the test says. */
export interface ToldHost extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly program: Program;
  readonly tell: (...agents: readonly Told[]) => void;
  readonly problem: (name: string) => string | undefined;
}

/** `relay.yaml` of `dir`; as the user `uid`, or as this process. */
export function startRelayProgram(dir: string, uid?: number): Promise<Program> {
  const become = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  return startProgram({
    argv: [...become, process.execPath, relayProgram, '--config', join(dir, 'relay.yaml')],
    log: join(dir, 'relay.log'),
  });
}

/** A relay whose file names no agent unless `keys` do; its state is in `dir`. */
export async function startToldHost(
  dir: string,
  first: readonly Told[],
  options: GatewayOptions = {},
  keys: object = {},
  uid?: number,
): Promise<ToldHost> {
  let agents = first;
  const gateway = await startTestGateway({ state: () => ({ lockdown: false, agents }), ...options });
  const identity = await gateway.identity(relay);
  const base = { gateway: gateway.address, identity, docker: `unix://${dir}/no-docker.sock`, state: 'state' };
  await writeFile(join(dir, 'relay.yaml'), stringify({ ...base, ...keys }));
  if (uid !== undefined) {
    await run(['chown', '-R', `${uid}:${uid}`, identity, dir]);
    await run(['chmod', 'o+x', dirname(identity)]);
  }
  const program = await startRelayProgram(dir, uid);
  return {
    ...{ gateway, program },
    tell: (...next) => {
      agents = next;
      gateway.relays.tellAll();
    },
    problem: (name) => gateway.relays.report({ name, relay: relay.name } as never)?.problem,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

/** Carriers that a process has started, by their process ids. */
export function carriersOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  return children.filter((child) => /^Name:\tclawrden-carrie$/m.test(statusOf(child)));
}

/** Empty if there is no such process. */
export function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** A script as uid 1000, where only the two folders of an agent, which are in `folder`, are to be seen. */
export function inJail(folder: string, script: string): string[] {
  const mounts = `mount -t tmpfs none /mnt && mkdir /mnt/run /mnt/bin && mount --bind ${folder}/socket /mnt/run &&
    mount --bind ${folder}/bin /mnt/bin && cd / && CLAWRDEN_SOCKET=/mnt/run/warden.sock PATH=/mnt/bin:$PATH`;
  return [
    ...['unshare', '-m', 'sh', '-c'],
    `${mounts} setpriv --reuid 1000 --regid 1000 --clear-groups /bin/sh -c '${script}'`,
  ];
}
