import type { RunOptions } from './add-run-options.ts';
import { readEnv } from './read-env.ts';
import { readTmpfs, readVolume, type VolumeWish } from './read-places.ts';
import { type RestartPolicy, readBytes, readCpus, readInteger, readRestart } from './read-quantities.ts';
import { checked, refuse } from './refuse.ts';

/** What was asked for, read and allowed. What is absent has the engine's default. */
export interface RunWish {
  readonly image: string;
  readonly command: readonly string[];
  readonly name?: string;
  readonly hostname?: string;
  readonly env: readonly string[];
  readonly workdir?: string;
  readonly entrypoint?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly volumes: readonly VolumeWish[];
  readonly tmpfs: readonly (readonly [string, string])[];
  readonly interactive: boolean;
  readonly tty: boolean;
  readonly detach: boolean;
  readonly rm: boolean;
  readonly readOnly: boolean;
  readonly restart?: RestartPolicy;
  readonly memory?: number;
  readonly nanoCpus?: number;
  readonly pids?: number;
  readonly shm?: number;
  readonly stopTimeout?: number;
}

/** Throws a line that names the first option that cannot be. */
export function readRunOptions(
  options: RunOptions,
  [image, ...command]: readonly string[],
  shell: Readonly<NodeJS.ProcessEnv>,
): RunWish {
  const { name, hostname, workdir, entrypoint, interactive, tty, detach, rm, readOnly } = options;
  const restart = read('--restart', options.restart, readRestart, restartWanted);
  if (rm === true && restart !== undefined && restart.Name !== 'no')
    throw refuse('--restart and --rm cannot be together', 'leave one out');
  return {
    image: readImage(image),
    command,
    ...defined({ name: read('--name', name, readName, 'takes letters, digits, "_", "." and "-"') }),
    ...defined({ hostname, workdir, entrypoint, restart }),
    env: readEnv(options.env, options.envFile, shell),
    labels: Object.fromEntries(options.label.map(readLabel)),
    volumes: options.volume.map(readVolume),
    tmpfs: options.tmpfs.map(readTmpfs),
    ...{ interactive: interactive === true, tty: tty === true, detach: detach === true, rm: rm === true },
    readOnly: readOnly === true,
    ...defined({
      memory: read('--memory', options.memory, readBytes, bytesWanted),
      nanoCpus: read('--cpus', options.cpus, readCpus, 'takes a number like 1.5'),
      pids: read('--pids-limit', options.pidsLimit, readInteger, 'takes a whole number'),
      shm: read('--shm-size', options.shmSize, readBytes, bytesWanted),
      stopTimeout: read('--stop-timeout', options.stopTimeout, readInteger, 'takes whole seconds'),
    }),
  };
}

const bytesWanted = 'takes bytes like 512m';
const restartWanted = 'takes no, always, unless-stopped or on-failure[:N]';

function read<T>(
  option: string,
  text: string | undefined,
  reader: (text: string) => T | undefined,
  wanted: string,
): T | undefined {
  return text === undefined ? undefined : checked(option, reader(text), wanted);
}

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}

function readImage(image = ''): string {
  const isImage = /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,511}$/.test(image) && !image.includes('..');
  return checked(`image ${image}:`, isImage ? image : undefined, 'it is no name of an image');
}

function readName(text: string): string | undefined {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{1,254}$/.test(text) ? text : undefined;
}

function readLabel(text: string): readonly [string, string] {
  const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(text) ?? [];
  checked('--label', key.trim() === '' ? undefined : key, 'takes KEY=VALUE or KEY');
  if (/^clawrden/i.test(key))
    throw refuse(`--label: ${key} is Clawrden's own`, 'leave it out: the agent has it');
  return [key, value];
}
