import { resolveLink } from './page-url.ts';
import { TextFlow } from './text-flow.ts';

/** Makes text of what a page's parser reads. */
export interface TextWriter {
  /** `value`: the link of `a`, the words of `img`. */
  readonly open: (name: string, value: string | undefined) => void;
  readonly close: (name: string) => void;
  readonly text: (text: string) => void;
  readonly length: () => number;
  /** All of it, with a newline at its end. */
  readonly end: () => string;
}

/** A line of their own. */
const lines: ReadonlySet<string> = new Set(
  'address article aside dd details div dl dt figure footer form header li main nav section tr'.split(' '),
);
/** An empty line before and after. */
const paragraphs: ReadonlySet<string> = new Set(
  'blockquote h1 h2 h3 h4 h5 h6 hr ol p pre table title ul'.split(' '),
);

export function createTextWriter(base: string): TextWriter {
  const flow = new TextFlow();
  const links: (string | undefined)[] = [];
  let pre = 0;

  function breakFor(name: string): void {
    if (paragraphs.has(name)) flow.breakLine(2);
    else if (lines.has(name)) flow.breakLine(1);
  }

  function open(name: string, value: string | undefined): void {
    breakFor(name);
    if (name === 'br') flow.breakLine(1);
    else if (/^h[1-6]$/.test(name)) flow.mark('#'.repeat(Number(name[1])));
    else if (name === 'li') flow.mark('-');
    else if (name === 'td' || name === 'th') flow.prose(' ');
    else if (name === 'img' && value) flow.prose(` [${value}] `);
    else if (name === 'pre') pre += 1;
    else if (name === 'a') {
      links.push(value);
      if (value !== undefined) flow.open('[');
    }
  }

  function close(name: string): void {
    const link = name === 'a' ? links.pop() : undefined;
    if (link !== undefined) flow.close(`](${resolveLink(link, base) ?? ''})`);
    if (name === 'pre') pre -= 1;
    breakFor(name);
  }

  return {
    open,
    close,
    text: (text) => (pre > 0 ? flow.preformatted(text) : flow.prose(text)),
    length: () => flow.length,
    end: () => flow.end(),
  };
}
