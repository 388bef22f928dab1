import type { YamlSource } from '../../config/read-yaml.ts';
import { smallLetters } from '../small-letters.ts';
import { NameSet } from './name-set.ts';
import { dangerousVariables, harmlessVariables } from './variable-data.ts';

const dangerous = new NameSet(dangerousVariables);
const harmless = new NameSet(harmlessVariables);

/** Many programs name theirs like this: what they start, their options, and what they load. */
const endings = [
  ...['_BINARY', '_BINARY_PATH', '_EDITOR', '_PAGER', '_COMMAND', '_PASSCOMMAND', '_RSH', '_SSH', '_OPTS'],
  ...['_PLUGIN_PATH', '_PLUGIN_DIR', '_PRELOAD', '_LIBRARY_PATH'],
];

function endsLikeOne(name: string): boolean {
  return endings.some((ending) => name.endsWith(ending));
}

/**
 * Whether a variable never reaches a tool, whatever a policy allows. A second defence: names outside of this data
 * must still be allowed by the policy. Ignores case, because some tools do so too.
 */
export function isDangerousVariable(name: string): boolean {
  const upper = smallLetters(name).toUpperCase();
  return (dangerous.has(upper) || endsLikeOne(upper)) && !harmless.has(name);
}

/** `pattern` is a name; `*` at its end means any rest. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** One line for each allowed pattern that lets through only such variables, or could let one through. */
export function warnAboutVariables(allowed: readonly string[], source: YamlSource): string[] {
  return allowed.flatMap((pattern, index) => {
    const upper = smallLetters(pattern).toUpperCase();
    const met = dangerousVariables.filter((name) => overlap(upper, name));
    if (met.length === 0 && endsLikeOne(upper)) met.push(upper);
    const isHarmless = harmless.has(pattern.replace('*', ''));
    if (met.length === 0 || isHarmless) return [];
    const what = `${pattern} is allowed, but never reaches a tool if it is ${met.slice(0, 4).join(', ')}`;
    return source.problem(['environment', 'allow', index], `${what}${met.length > 4 ? ' ...' : ''}`);
  });
}

function overlap(a: string, b: string): boolean {
  return matchesName(a, b.replace('*', '')) || matchesName(b, a.replace('*', ''));
}
