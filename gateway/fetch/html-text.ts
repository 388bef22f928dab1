import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTextWriter } from './text-writer.ts';

/** A closing tag is looked up among those that are open: what is deeper is not read. */
const deepest = 512;
/** Of characters; between two of them others have their turn. */
const pieceLength = 16_384;
/** Links are written out whole, so the text may be longer than the page. */
const mostText = 2 * 1024 * 1024;

const unread: ReadonlySet<string> = new Set([
  ...['script', 'style', 'template', 'noscript', 'svg', 'math', 'iframe', 'object', 'canvas', 'select'],
]);

/** The text of a page with its headings, lists and links, for who reads it. Takes time in proportion to the page. */
export async function htmlText(html: string, base: string, signal: AbortSignal): Promise<string> {
  // A gateway that makes no text of pages starts without it.
  const { Parser } = await import('htmlparser2');
  const writer = createTextWriter(base);
  const open: string[] = [];
  let hidden = 0;
  const parser = new Parser({
    onopentag: (name, { href, alt }) => {
      open.push(name);
      if (unread.has(name)) hidden += 1;
      if (hidden === 0) writer.open(name, name === 'a' ? href : alt);
    },
    onclosetag: (name) => {
      open.pop();
      if (hidden === 0) writer.close(name);
      if (unread.has(name)) hidden -= 1;
    },
    ontext: (text) => {
      if (hidden === 0) writer.text(text);
    },
  });
  for (let at = 0; at < html.length; at += pieceLength) {
    signal.throwIfAborted();
    parser.write(html.slice(at, at + pieceLength));
    if (open.length > deepest || writer.length() > mostText) return `${writer.end()}[the rest is not read]\n`;
    await nextTurn();
  }
  parser.end();
  return writer.end();
}
