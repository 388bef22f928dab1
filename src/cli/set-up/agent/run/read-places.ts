import { absolutePathField } from '../../../../config/fields.ts';
import { isIn } from '../../../../config/workspace-roots.ts';
import { checked, refuse } from './refuse.ts';

export interface VolumeWish {
  /** A volume's name, or the absolute path of a folder. */
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

const see = 'see clawrden agent run --help';

export function readVolume(text: string): VolumeWish {
  const [source = '', target = '', mode, ...more] = text.split(':');
  const isNamed = /^[A-Za-z0-9][A-Za-z0-9_.-]{1,254}$/.test(source);
  if (!isNamed && !absolutePathField.safeParse(source).success)
    throw refuse(`--volume ${text}: it has no name of a volume and no path of a folder`, see);
  if (more.length > 0 || (mode !== undefined && mode !== 'ro'))
    throw refuse(`--volume ${text}: it is SOURCE:PATH or SOURCE:PATH:ro`, see);
  return { source, target: readTarget(`--volume ${text}`, target), readOnly: mode === 'ro' };
}

/** Its path, and options for the engine. */
export function readTmpfs(text: string): readonly [string, string] {
  const [, path = '', options = ''] = /^([^:]*):?(.*)$/s.exec(text) ?? [];
  return [readTarget(`--tmpfs ${text}`, path), options];
}

function readTarget(option: string, path: string): string {
  return checked(
    `${option}:`,
    absolutePathField.safeParse(path).success ? path : undefined,
    'it has no absolute path in the container, without "..", "//" and a slash at its end',
  );
}

/** Most images have `/var/run` as a link to `/run`. */
const ours = ['/clawrden', '/var/run/clawrden', '/run/clawrden'];
const kernels = ['/proc', '/sys', '/dev'];

/** Throws if something at `target` would hide what is ours, the kernel's, or the agent's workspace. */
export function checkTarget(what: string, target: string, workspace: string | undefined): void {
  const kept = [...ours, ...(workspace === undefined ? [] : [workspace])];
  const hidden =
    kept.find((place) => isIn(target, place) || isIn(place, target)) ??
    kernels.find((place) => isIn(target, place));
  if (hidden !== undefined)
    throw refuse(
      `${what}: nothing is mounted at ${target}, because ${hidden} has its place`,
      'name another path',
    );
}
