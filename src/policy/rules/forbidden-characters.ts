import { codePointOf } from '../../text/code-point.ts';
import type { Decision, ToolDefinition } from '../policy.ts';

/** Finds texts that contain one of some characters. */
export class ForbiddenCharacters {
  readonly #anyOfThem: RegExp | undefined;

  constructor(characters: string) {
    const escaped = Array.from(characters, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
    if (escaped.length > 0) this.#anyOfThem = new RegExp(`[${escaped.join('')}]`, 'u');
  }

  isIn(text: string): boolean {
    return this.#anyOfThem !== undefined && this.#anyOfThem.test(text);
  }

  /** The first that is in it, with a name that a terminal shows; empty if there is none. */
  nameOfFirstIn(text: string): string {
    const found = this.#anyOfThem?.exec(text)?.[0];
    return found === undefined ? '' : nameOf(found);
  }

  /** The same for several texts. */
  nameOfFirstAmong(texts: readonly string[]): string {
    return this.nameOfFirstIn(texts.find((text) => this.isIn(text)) ?? '');
  }
}

/** The decision on a command with a character that its tool forbids. */
export function forbiddenFor({ name }: ToolDefinition, character: string): Decision {
  return {
    action: 'deny',
    rule: 'forbid-characters',
    reason: `an argument has the character ${character}, which the policy forbids for ${name}`,
    code: 'denied-by-rule',
  };
}

const names: Readonly<Record<string, string>> = {
  '\0': 'NUL',
  '\t': 'a tab',
  '\n': 'a line break',
  '\r': 'a line break',
  ' ': 'a space',
};

function nameOf(character: string): string {
  const code = codePointOf(character);
  const name = names[character] ?? (/^[!-~]$/.test(character) ? character : undefined);
  return name === undefined ? code : `${name} (${code})`;
}
