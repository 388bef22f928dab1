import { readTextFile } from '../../../../config/read-text-file.ts';
import { checked, refuse } from './refuse.ts';

/**
 * Variables as an engine takes them, those of files first. A name without a value has this shell's; if there is none, an
 * engine takes the image's away, and a file says nothing.
 */
export function readEnv(
  given: readonly string[],
  files: readonly string[],
  shell: Readonly<NodeJS.ProcessEnv>,
): readonly string[] {
  const entries = [
    ...files.flatMap((file) =>
      readLines(file).map((entry) => ({ option: `--env-file ${file}`, entry, bare: [] })),
    ),
    ...given.map((entry) => ({ option: '--env', entry, bare: [entry] })),
  ];
  return entries.flatMap((one) => readEntry(one, shell));
}

/** As docker reads such a file: no quotes, no continued lines; a comment has its own line. */
function readLines(file: string): string[] {
  const text = readTextFile(file).replace(/^\u{FEFF}/u, '');
  const lines = text.split(/\r?\n/).map((line) => line.trimStart());
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

interface Entry {
  readonly option: string;
  readonly entry: string;
  /** What it is if it has no value. */
  readonly bare: readonly string[];
}

function readEntry({ option, entry, bare }: Entry, shell: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(entry) ?? [];
  checked(option, /^[^\s\0]+$/.test(name) ? name : undefined, 'takes NAME=VALUE or NAME');
  if (isOurs(name))
    throw refuse(
      `${option}: ${name} is Clawrden's own`,
      'leave it out: PATH begins with the jail, and there is no network',
    );
  if (value !== undefined) return [entry];
  const own = shell[name];
  return own === undefined ? bare : [`${name}=${own}`];
}

/** Some programs read a proxy's variable in either case. */
function isOurs(name: string): boolean {
  return name === 'PATH' || /^clawrden/i.test(name) || /^(https?|ftp|all|no)_proxy$/i.test(name);
}
