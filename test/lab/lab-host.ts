import { attempt, type CommandOptions, type CommandResult, run } from './command.ts';
import { delayLink } from './delay.ts';
import { enginePids, startEngine, stopEngine } from './engine.ts';
import { powerOff, powerOn } from './host.ts';
import { hostCommands, hostInit, processesNamed, signalAll, stopAll } from './host-processes.ts';
import type { HostNames } from './names.ts';

/** One engine of a lab, and the faults that a test can cause. */
export interface LabHost extends HostNames {
  /** Pid of dockerd on this machine; throws while there is none. */
  pid(): Promise<number>;
  /** The command that runs `argv` on the host's network, so that `cut` and `delay` concern it too. */
  onNetwork(argv: readonly string[]): string[];
  /** Command lines of every process on the host: its engine, shims and containers. */
  commandsRunning(): Promise<string[]>;
  /** Runs the Docker client against this engine's unix socket, to its end. */
  docker(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Takes the link down: packets are lost without an answer, in both directions. */
  cut(): Promise<void>;
  heal(): Promise<void>;
  /** Adds this to every round trip between the host and all others; 0 ends it. */
  delay(milliseconds: number): Promise<void>;
  /** SIGKILL for dockerd; its containers continue until the engine starts again. */
  kill(): Promise<void>;
  /** Stops dockerd and containerd from running; connections are accepted and never answered. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** A new dockerd, after a TERM for the running one or after a kill. Returns when it answers. */
  restart(): Promise<void>;
  /** Power cut: dockerd, containers and mounts are gone at once. `restart` does not bring it back, `powerOn` does. */
  powerOff(): Promise<void>;
  /** Boots the host after `powerOff` and starts its engine. */
  powerOn(): Promise<void>;
}

export function labHost(host: HostNames): LabHost {
  const link = (state: 'up' | 'down') => run(['ip', 'link', 'set', host.link, state]);
  return {
    ...host,
    pid: () => enginePid(host),
    onNetwork: (argv) => ['nsenter', `--net=/run/netns/${host.namespace}`, ...argv],
    commandsRunning: () => hostCommands(host.namespace),
    docker: (args, options) => attempt(['docker', '-H', `unix://${host.socket}`, ...args], options),
    cut: async () => void (await link('down')),
    heal: async () => void (await link('up')),
    delay: (milliseconds) => delayLink(host, milliseconds),
    kill: () => stopEngine(host, 'SIGKILL'),
    freeze: async () => stopAll(await enginePids(host)),
    thaw: async () => signalAll(await enginePids(host), 'SIGCONT'),
    restart: () => restart(host),
    powerOff: () => powerOff(host),
    powerOn: async () => {
      if ((await hostInit(host.namespace)) === undefined) await powerOn(host);
      await startEngine(host);
    },
  };
}

async function restart(host: HostNames): Promise<void> {
  signalAll(await enginePids(host), 'SIGCONT'); // a frozen engine takes no TERM
  await stopEngine(host, 'SIGTERM');
  await startEngine(host);
}

async function enginePid(host: HostNames): Promise<number> {
  const [pid] = await processesNamed(host.namespace, 'dockerd');
  if (pid === undefined) throw new Error(`clawrden: lab: ${host.name} has no engine running`);
  return pid;
}
