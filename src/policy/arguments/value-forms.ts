import { smallLetters } from '../small-letters.ts';
import { settingTexts, type Texts } from './setting.ts';
import type { ValueForm } from './tools/grammar.ts';

/** What a pattern in small letters may say of a value that its tool takes in several forms. */
export function formedTexts(form: ValueForm, text: string): Texts {
  return forms[form](smallLetters(text));
}

const forms: Readonly<Record<ValueForm, (small: string) => Texts>> = {
  network: (small) => (isPlain(small) ? [small, `name=${small}`] : notUnderstood),
  capability: capabilityTexts,
  // All of them are those of every rule.
  'added-capability': (small) => (/^(?:cap_)?all$/.test(small) ? notUnderstood : capabilityTexts(small)),
  'security-option': securityTexts,
  gpus: gpuTexts,
  // An address (`data:text/javascript,…`) is the program itself.
  'module-path': (small) => (/^[\w./@+=,~-]*$/.test(small) ? [small] : notUnderstood),
  // Perl compiles what it is given: `-Mx+exec+ls`.
  'perl-module': (small) => (/^-?[\w:]+(?:=[\w:,.-]*)?$/.test(small) ? [small] : notUnderstood),
};

const notUnderstood = 'not understood';

/** No `name=value`, no list and no quotes. */
function isPlain(text: string): boolean {
  return /^[\w./:-]*$/.test(text);
}

function capabilityTexts(small: string): Texts {
  if (!/^[a-z0-9_]+$/.test(small)) return notUnderstood;
  const bare = small.replace(/^cap_/, '');
  return [bare, `cap_${bare}`];
}

/** `seccomp:x` is `seccomp=x`. */
function securityTexts(small: string): Texts {
  const said = small.includes('=') ? small : small.replace(':', '=');
  const texts = settingTexts(said);
  return texts === undefined
    ? notUnderstood
    : [...new Set(texts.flatMap((one) => [one, one.replace('=', ':')]))];
}

function gpuTexts(small: string): Texts {
  const count = small.replace(/^count=/, '');
  if (/^(?:all|-1)$/.test(count)) return ['all', '-1', 'count=all', 'count=-1'];
  if (/^\d+$/.test(count)) return [count, `count=${count}`];
  return /^[a-z]+=[\w.:/-]+$/.test(small) ? [small] : notUnderstood;
}
