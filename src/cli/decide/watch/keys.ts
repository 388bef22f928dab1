/** A typed key: a printable character as itself, else one of these names. Other keys are ignored. */
export type Key = string;

const names: Readonly<Record<string, Key>> = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  '\x1b[5~': 'page-up',
  '\x1b[6~': 'page-down',
  '\x1b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x03': 'interrupt',
  '\x1a': 'suspend',
};
const pasteBegins = '\x1b[200~';
const pasteEnds = '\x1b[201~';
const oneKey = /\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\x1bO[\x40-\x7e]|[\s\S]/gu;
const printable = /^[\x20-\x7e]$/;

/** A reader of a terminal's bytes. It ignores pasted text, which could contain a verdict that nobody meant. */
export function createKeyReader(): (chunk: string) => Key[] {
  let pasting = false;
  return (chunk) => {
    const keys: Key[] = [];
    for (const [text] of chunk.matchAll(oneKey)) {
      if (text === pasteBegins) pasting = true;
      else if (text === pasteEnds) pasting = false;
      else if (!pasting) keys.push(...named(text));
    }
    return keys;
  };
}

function named(text: string): Key[] {
  const name = printable.test(text) ? text : names[text];
  return name === undefined ? [] : [name];
}
