import { smallLetters } from '../small-letters.ts';
import { type ReadSetting, readGit, readSsh, readToml } from './setting-forms.ts';
import { switchWords } from './switch-words.ts';
import type { SettingForm } from './tools/grammar.ts';

/** What a pattern in small letters may say of a value. */
export type Texts = readonly string[] | 'as written' | 'not understood';

/**
 * All that a pattern in small letters may say of a text that its tool reads in any case: as it is, as `name=value` and
 * as `name value`, and with a switch's other words. `undefined`: nobody can be sure what the tool reads in it.
 */
export function settingTexts(text: string, form?: SettingForm): readonly string[] | undefined {
  const small = smallLetters(text);
  if (form === undefined) return looseTexts(small);
  const read = forms[form](small);
  return read?.length === 0 ? undefined : read && [...new Set([small, ...read.flatMap(textsOf)])];
}

const forms = { ssh: readSsh, git: readGit, toml: readToml } satisfies Record<SettingForm, unknown>;

function textsOf({ names, value }: ReadSetting): readonly string[] {
  // A name alone turns it on.
  const said = value ?? 'true';
  const values = switchWords(said) ?? [said];
  return names.flatMap((name) => [
    ...(value === undefined ? [name] : []),
    ...values.flatMap((each) => [`${name}=${each}`, `${name} ${each}`]),
  ]);
}

/** Without a form that is known, quotes and blanks do not count. */
function looseTexts(text: string): readonly string[] {
  const equals = text.indexOf('=');
  // Most have neither blanks nor quotes, and more than a switch behind the name.
  if (equals > 0 && text.length > equals + 6 && !/[\s"']/.test(text))
    return [text, `${text.slice(0, equals)} ${text.slice(equals + 1)}`];
  const bare = text.replaceAll(/[\s"']/g, '').replace(/^=+/, '');
  const at = bare.indexOf('=');
  const name = at === -1 ? bare : bare.slice(0, at);
  return [
    ...new Set([
      text,
      bare,
      ...textsOf({ names: [name], ...(at === -1 ? {} : { value: bare.slice(at + 1) }) }),
    ]),
  ];
}
