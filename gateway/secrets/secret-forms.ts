/** A shorter text would be found everywhere; a value is at least as long. */
export const leastFormBytes = 8;

/** What is longer is looked for in pieces, so that also a part of it is found, and little is held back. */
const mostFormBytes = 1024;

/** How wide programs wrap base64: base64(1) and MIME, and PEM. */
const wraps = [76, 64];

/**
 * The texts by which a value can be told: as it is, in base64 wherever it begins, percent-encoded, in JSON. Of a value
 * of several lines each line counts, because a terminal ends lines in its own way.
 */
export function formsOf(value: string): Buffer[] {
  const lines = value.split(/\r?\n/);
  const parts = lines.length === 1 ? [value] : [value, ...lines];
  const forms = new Set(parts.filter(isLong).flatMap(formsOfPart));
  const pieces = [...forms].filter(isLong).flatMap(piecesOf);
  return [...new Set(pieces)].map((piece) => Buffer.from(piece, 'latin1'));
}

function formsOfPart(part: string): string[] {
  return [part, ...base64Forms(part), ...percentForms(part), ...jsonForms(part)];
}

function isLong(text: string): boolean {
  return Buffer.byteLength(text) >= leastFormBytes;
}

function base64Forms(part: string): string[] {
  const forms = [0, 1, 2].map((offset) => base64At(offset, Buffer.from(part)));
  const wrapped = wraps.flatMap((width) => inPieces(Buffer.from(part).toString('base64'), width));
  return [...forms, ...wrapped].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  ]);
}

/** As latin1, so that equal bytes are one text. */
function piecesOf(form: string): string[] {
  const bytes = Buffer.from(form).toString('latin1');
  const count = Math.ceil((bytes.length - leastFormBytes + 1) / mostFormBytes);
  return Array.from({ length: count }, (_, at) =>
    bytes.slice(at * mostFormBytes, at === count - 1 ? undefined : (at + 1) * mostFormBytes),
  );
}

/** The characters that are the same whatever stands before and behind the value. */
function base64At(offset: number, value: Buffer): string {
  const whole = Buffer.concat([Buffer.alloc(offset), value]);
  const text = whole.toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor((whole.length * 8) / 6));
}

function inPieces(text: string, width: number): string[] {
  if (text.length <= width) return [];
  return Array.from({ length: Math.ceil(text.length / width) }, (_, at) =>
    text.slice(at * width, (at + 1) * width),
  );
}

function percentForms(part: string): string[] {
  const component = encodeURIComponent(part);
  const strict = component.replace(/[!'()*]/g, percent);
  const form = new URLSearchParams([['', part]]).toString().slice(1);
  const path = encodeURI(part);
  return [component, strict, form, path].flatMap((text) => [
    text,
    text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** As JavaScript writes it, as Go does (with `<`, `>` and `&` escaped), as Python does (ASCII), and with `\/`. */
function jsonForms(part: string): string[] {
  const plain = JSON.stringify(part).slice(1, -1);
  const ascii = plain.replace(/[^\x20-\x7e]/g, escaped);
  return [plain, ascii, plain.replace(/[<>&\u2028\u2029]/g, escaped), plain.replaceAll('/', '\\/')];
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
