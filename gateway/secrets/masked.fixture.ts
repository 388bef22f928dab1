import { createMasking } from './mask-stream.ts';
import { formsOf, mostPieceBytes } from './secret-forms.ts';

export function masked(values: readonly string[], chunks: readonly Buffer[]): Buffer {
  const stream = createMasking(values)();
  return Buffer.concat([...chunks.map(stream.push, stream), stream.rest()]);
}

export function cutAt(text: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.filter((at) => at < text.length)])].sort((a, b) => a - b);
  return places.map((at, nth) => text.subarray(at, places[nth + 1] ?? text.length));
}

/** Each byte of a form is masked, and nothing else. */
export function expected(values: readonly string[], text: Buffer): Buffer {
  const isSecret = secretBytes(values, text);
  const parts = Array.from(text, (byte, at) => {
    if (isSecret[at] === 0) return Buffer.of(byte);
    return Buffer.from(at > 0 && isSecret[at - 1] === 1 ? '' : '***');
  });
  return Buffer.concat(parts);
}

/** 1 for each byte of a form; found by looking for one after the other. */
export function secretBytes(values: readonly string[], text: Buffer): Uint8Array {
  const isSecret = new Uint8Array(text.length);
  const forms = values.map(formsOf);
  for (const form of forms.flatMap(({ plain }) => plain))
    for (const at of placesOf(form, text)) isSecret.fill(1, at, at + form.length);
  const characters = joined(text);
  const bytes = Buffer.from(characters.map(({ byte }) => byte));
  for (const form of forms.flatMap(({ joined: ofJoined }) => ofJoined)) {
    for (const at of placesOf(form, bytes)) {
      const [start, end] = [characters[at]?.start ?? 0, characters[at + form.length - 1]?.end ?? 0];
      if (end - start <= mostPieceBytes) isSecret.fill(1, start, end);
    }
  }
  return isSecret;
}

function placesOf(form: Buffer, text: Buffer): number[] {
  const places = [];
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) places.push(at);
  return places;
}

const pair = String.raw`\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}`;
const character = new RegExp(String.raw`${pair}|\\u[\da-fA-F]{4}|\\["\\/bfnrt]|[^]`, 'g');

/** The text with its escapes read and its line breaks dropped, with the blanks behind them. */
function joined(text: Buffer) {
  let isBehindBreak = false;
  return [...text.toString('latin1').matchAll(character)].flatMap(({ 0: written, index: start }) => {
    const isEscape = written.length > 1;
    const read = isEscape
      ? Buffer.from(JSON.parse(`"${written}"`) as string)
      : Buffer.from(written, 'latin1');
    const isDropped = /^[\r\n]$/.test(String(read)) || (isBehindBreak && /^[\t ]$/.test(String(read)));
    isBehindBreak = isDropped;
    return isDropped ? [] : Array.from(read, (byte) => ({ byte, start, end: start + written.length }));
  });
}
