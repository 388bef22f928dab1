import type { Command } from 'commander';

/** What `agent run` takes, as commander has it: texts that nobody has looked at yet. */
export interface RunOptions {
  /** relay.yaml */
  readonly config: string;
  readonly name?: string;
  readonly hostname?: string;
  readonly env: readonly string[];
  readonly envFile: readonly string[];
  readonly workdir?: string;
  readonly interactive?: boolean;
  readonly tty?: boolean;
  readonly detach?: boolean;
  readonly rm?: boolean;
  readonly restart?: string;
  readonly memory?: string;
  readonly cpus?: string;
  readonly pidsLimit?: string;
  readonly shmSize?: string;
  readonly tmpfs: readonly string[];
  readonly volume: readonly string[];
  readonly readOnly?: boolean;
  readonly stopTimeout?: string;
  readonly label: readonly string[];
  readonly entrypoint?: string;
}

/** The options of `docker run` that an agent's container may have, with docker's names; `-h` is no help there. */
export function addRunOptions(command: Command): Command {
  return command
    .helpOption('--help', 'display help for command')
    .option('--config <file>', 'relay.yaml', 'relay.yaml')
    .option('--name <name>', "the container's name")
    .option('--hostname <name>', 'its host name')
    .option(
      '-e, --env <name[=value]>',
      'a variable, without a value that of this shell; may be given again',
      collect,
      [],
    )
    .option('--env-file <file>', 'a file with variables; may be given again', collect, [])
    .option('-w, --workdir <path>', "where it starts (default: its workspace, else the image's)")
    .option('-i, --interactive', 'keep stdin open')
    .option('-t, --tty', 'with a terminal')
    .option('-d, --detach', 'in the background; prints the id of the container')
    .option('--rm', 'remove the container when it ends')
    .option('--restart <policy>', 'no, always, unless-stopped or on-failure[:N]')
    .option('--memory <bytes>', 'limit, like 512m')
    .option('--cpus <number>', 'limit, like 1.5')
    .option('--pids-limit <number>', 'processes and threads at most')
    .option('--shm-size <bytes>', 'size of /dev/shm')
    .option('--tmpfs <path[:options]>', 'a folder in memory; may be given again', collect, [])
    .option(
      '--volume <source:path[:ro]>',
      'a named volume, or a folder below agent-mounts; may be given again',
      collect,
      [],
    )
    .option('--read-only', "make the image's files read-only")
    .option('--stop-timeout <seconds>', 'from the signal to the kill when it is stopped')
    .option('--label <key[=value]>', 'a label; may be given again', collect, [])
    .option('--entrypoint <program>', "instead of the image's");
}

/** For an option that may be given again. */
export function collect(text: string, all: readonly string[]): readonly string[] {
  return [...all, text];
}
