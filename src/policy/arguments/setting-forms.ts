import { gitSwitch } from './switch-words.ts';

/** A setting as its tool reads it, in small letters. */
export interface ReadSetting {
  /** It is the setting of each of these names. */
  readonly names: readonly string[];
  readonly value?: string;
}

/**
 * Only the plain form: `name=value` or `name value`, with blanks between only. With quotes, comments, backslashes and
 * other white space each version of ssh reads the name or the value in a way of its own.
 */
export function readSsh(text: string): readonly ReadSetting[] {
  if (/["'\\#\p{Cc}]|[ =]$/u.test(text)) return [];
  const [, name, value] = /^([a-z0-9]+)(?:(?: *= *| +)([^ =].*))?$/.exec(text) ?? [];
  return name === undefined ? [] : [setting([name], value)];
}

/** Section and key, with any name between them, which may hold the `=`. A key alone git refuses. */
const gitName = /^(?:([a-z0-9-]+\.)(?:[^\s"'\\\p{Cc}]*\.)?)?([a-z0-9-]+)$/u;

/** What git has for one address, branch or remote is compared with what it has for all, too. */
export function readGit(text: string): readonly ReadSetting[] {
  const first = splitAt(text, text.indexOf('='));
  // `--config-env` takes what stands before the last `=`.
  const last = splitAt(text, text.lastIndexOf('='));
  return first.length === 0 ? [] : [...first, ...last];
}

function splitAt(text: string, equals: number): readonly ReadSetting[] {
  const name = equals === -1 ? text : text.slice(0, equals);
  const [, section = '', key] = gitName.exec(name) ?? [];
  if (key === undefined) return [];
  const value = equals === -1 ? undefined : gitSwitch(text.slice(equals + 1));
  const written = equals === -1 ? undefined : text.slice(equals + 1);
  const names = [...new Set([name, section + key])];
  return [setting(names, written), ...(value === written ? [] : [setting(names, value)])];
}

/** A bare name, and one value on one line without an escape; the name of a file is understood, too. */
export function readToml(text: string): readonly ReadSetting[] {
  const [, name, value] = /^([a-z0-9_.-]+)[ \t]*=[ \t]*([^\s].*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    return text.includes('=') ? [] : [setting([text], undefined)];
  if (!/^(?:"[^"\\]*"|'[^']*'|[\w.+-]+|\[[^\\#{}]*\])$/.test(value)) return [];
  return [setting([name], value), setting([name], value.replaceAll(/[\s"']/g, ''))];
}

function setting(names: readonly string[], value: string | undefined): ReadSetting {
  return value === undefined ? { names } : { names, value };
}
