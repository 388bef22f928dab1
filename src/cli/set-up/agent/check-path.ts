import { bad, doubtful, type Finding } from '../doctor/finding.ts';
import type { JailFacts, JailWanted, StartupFile } from './jail-facts.ts';

const jailAt = '/clawrden/bin';

interface Manager {
  readonly name: string;
  /** A folder of it on PATH. */
  readonly folder: RegExp;
  /** A line of a startup file that puts such a folder first. */
  readonly line: RegExp;
}

const localBin = '~/.local/bin';

const managers: readonly Manager[] = [
  { name: 'nvm', folder: /\/\.?nvm\//, line: /\bnvm\.sh\b/ },
  { name: 'mise', folder: /\/mise\/(shims|installs)\b/, line: /\bmise activate\b|\/mise\/shims\b/ },
  { name: 'pyenv', folder: /\/\.pyenv\//, line: /\bpyenv init\b|\/\.pyenv\/(shims|bin)\b/ },
  { name: localBin, folder: /\/\.local\/bin\/?$/, line: /\/\.local\/bin\b/ },
  { name: 'a virtual environment', folder: /\/\.?v?env\/bin\/?$/, line: /\/bin\/activate\b/ },
];

/** What stands before the jail on PATH: a tool that is found there is not judged. */
export function checkPath(facts: JailFacts, { agent }: JailWanted): Finding[] {
  const check = `agent ${agent}`;
  const { Env } = facts.container.Config;
  const folders = (lastOf(Env, 'PATH') ?? '').split(':');
  const virtual = lastOf(Env, 'VIRTUAL_ENV');
  const at = folders.findIndex((folder) => /^\/clawrden\/bin\/?$/.test(folder));
  if (at === -1)
    return [bad(check, `${jailAt} is not on PATH`, `start it with --env PATH=${jailAt}:..., the jail first`)];
  const before = folders.slice(0, at).map((folder) => {
    const what = managers.find((manager) => manager.folder.test(folder))?.name;
    const known = folder === `${virtual}/bin` ? 'a virtual environment' : what;
    return known === undefined ? folder || 'the working directory' : `${folder} (${known})`;
  });
  const fix = `put ${jailAt} first on PATH`;
  return [
    ...(before.length > 0
      ? [bad(check, `PATH has ${before.join(', ')} before ${jailAt}: tools there are not judged`, fix)]
      : []),
    ...facts.startupFiles.flatMap((file) => checkStartup(file, facts.hasLocalBin, check)),
  ];
}

/** A file that puts the jail first behind that is fine. */
function checkStartup({ path, text }: StartupFile, hasLocalBin: boolean, check: string): Finding[] {
  const lines = text.split('\n').map((line) => line.replace(/(^|\s)#.*/, ''));
  const mended = lines.findLastIndex((line) => line.includes(jailAt));
  const found = managers.filter(({ name, line }) => {
    if (name === localBin && !hasLocalBin) return false;
    return lines.findLastIndex((each) => line.test(each)) > mended;
  });
  if (found.length === 0) return [];
  const names = found.map(({ name }) => name).join(', ');
  const told = `${path} puts ${names} before ${jailAt}: tools there are not judged`;
  return [doubtful(check, told, `write as the last line of it: export PATH=${jailAt}:$PATH`)];
}

/** Of a name that stands twice the last value counts. */
function lastOf(env: readonly string[], name: string): string | undefined {
  return env.findLast((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
}
