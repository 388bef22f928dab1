import { awk } from './awk.ts';
import { docker } from './docker.ts';
import { find } from './find.ts';
import { git } from './git.ts';
import type { ToolGrammar } from './grammar.ts';
import { grep } from './grep.ts';
import { kubectl } from './kubectl.ts';
import { npm } from './npm.ts';
import { pip } from './pip.ts';
import { sed } from './sed.ts';
import { sort } from './sort.ts';
import { ssh } from './ssh.ts';
import { tar } from './tar.ts';
import { terraform } from './terraform.ts';

/** Tools whose arguments we can take apart, by the names they go by. */
export const knownTools: ReadonlyMap<string, ToolGrammar> = new Map([
  ...(['awk', 'mawk', 'gawk', 'nawk'] as const).map((name) => [name, awk] as const),
  ...(['grep', 'egrep', 'fgrep'] as const).map((name) => [name, grep] as const),
  ...(['tar', 'gtar'] as const).map((name) => [name, tar] as const),
  ...(['pip', 'pip3'] as const).map((name) => [name, pip] as const),
  ['docker', docker],
  ['find', find],
  ['git', git],
  ['kubectl', kubectl],
  ['npm', npm],
  ['sed', sed],
  ['sort', sort],
  ['ssh', ssh],
  ['terraform', terraform],
]);
