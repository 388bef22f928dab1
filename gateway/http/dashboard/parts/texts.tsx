import type { ComponentChildren } from 'preact';
import { quoteText, renderText } from '../../../../src/text/render-text.ts';
import { kindOfCharacter } from '../../../../src/text/unusual-characters.ts';

/** What `render-text.ts` makes of a character that a reader would not see, or take for another one. */
const escape = /\\(?:u\{[0-9a-f]+\}|x20\{\d+\}|[nrt])/g;

interface AgentTextProps {
  /** As somebody else wrote it: an agent, a tool, a file name. */
  readonly text: string;
  /** Without its quotes, where nothing of ours stands on the same line. */
  readonly bare?: boolean;
  /** Characters at most; what is left out is counted. */
  readonly most?: number;
}

/** Text of agents: never more than text, in one direction, with everything marked that a reader cannot see. */
export function AgentText({ text, bare = false, most = 2000 }: AgentTextProps) {
  const shown = text.length > most ? text.slice(0, most) : text;
  return (
    <q class="agent-text" dir="ltr">
      <Rendered text={bare ? renderText(shown) : quoteText(shown)} />
      {text.length > most && <span class="soft"> and {text.length - most} characters more</span>}
    </q>
  );
}

/** A text that is rendered already, with its escapes marked. */
export function Rendered({ text }: { readonly text: string }) {
  const pieces: ComponentChildren[] = [];
  let at = 0;
  // A doubled backslash is one that was written; it begins no escape.
  for (const found of text.replaceAll('\\\\', '\0\0').matchAll(escape)) {
    pieces.push(text.slice(at, found.index), <mark title={nameOf(found[0])}>{found[0]}</mark>);
    at = found.index + found[0].length;
  }
  return (
    <>
      {pieces}
      {text.slice(at)}
    </>
  );
}

const names: Readonly<Record<string, string>> = {
  '\\n': 'a line break',
  '\\r': 'a carriage return',
  '\\t': 'a tab',
};

function nameOf(escaped: string): string {
  const known = names[escaped];
  if (known !== undefined) return known;
  const blanks = /^\\x20\{(\d+)\}$/.exec(escaped)?.[1];
  if (blanks !== undefined) return blanks === '1' ? 'a blank at the edge' : `${blanks} blanks`;
  const code = escaped.slice(3, -1);
  const character = String.fromCodePoint(Number.parseInt(code, 16));
  const kind = kindOfCharacter(character);
  const rest = kind === 'may look like another one' ? `: ${character}` : `, which ${kind ?? 'is plain'}`;
  return `the character U+${code.toUpperCase().padStart(4, '0')}${rest}`;
}
