import { isDangerousVariable } from './dangerous-variables.ts';
import { NameSet } from './name-set.ts';
import { isOfItsKind } from './variable-kinds.ts';

/**
 * The part of a caller's environment that a tool may see: `NAME=value`, sorted by name, each name once. Leaves out
 * names that `allowed` does not have, dangerous names in any case, names that are not plain, values with control
 * characters or of another kind than the name says, and every variable that occurs twice.
 */
export function scrubEnvironment(env: readonly string[], allowed: readonly string[]): string[] {
  const names = new NameSet(allowed);
  const kept = new Map<string, string>();
  const seen = new Set<string>();
  for (const entry of env) {
    const name = entry.slice(0, Math.max(0, entry.indexOf('=')));
    if (seen.has(name)) kept.delete(name);
    else if (mayPass(name, entry, names)) kept.set(name, entry);
    seen.add(name);
  }
  return [...kept].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

function mayPass(name: string, entry: string, allowed: NameSet): boolean {
  return (
    isVariableName(name) &&
    allowed.has(name) &&
    !isDangerousVariable(name) &&
    !hasControl(entry) &&
    isOfItsKind(name, entry.slice(name.length + 1))
  );
}

function isVariableName(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isDigit = code >= 0x30 && code <= 0x39;
    const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;
    if (!isLetter && !(isDigit && index > 0)) return false;
  }
  return text.length > 0;
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
}
