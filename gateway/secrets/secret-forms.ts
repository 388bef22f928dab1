/** A shorter text would be found everywhere; a value is at least as long. */
export const leastFormBytes = 8;

/** What is longer is looked for in pieces, so that also a part of it is found, and little is held back. */
const mostFormBytes = 1024;
/** The last piece of a form has the bytes that are too few for one more. */
export const mostPieceBytes = mostFormBytes + leastFormBytes - 1;

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

/** How a program percent-encodes. */
interface Encoder {
  /** Each character that it does not leave as it is. */
  readonly encoded: RegExp;
  readonly blank: string;
}

/** It leaves these, letters, digits, `-`, `.` and `_`. */
function encoder(leaves: string, blank = '%20'): Encoder {
  const escapedLeaves = leaves.replace(/[\\\]^]/g, '\\$&');
  return { encoded: new RegExp(`[^A-Za-z0-9._${escapedLeaves}-]`, 'gu'), blank };
}

const subDelims = "!$&'()*+,;=";
const encoders: readonly Encoder[] = [
  // encodeURIComponent of JavaScript, and its neighbours; forms, of browsers, Go, Python and PHP.
  ...["~!*'()", '~', '', '~!*()'].map((leaves) => encoder(leaves)),
  ...['*', '~', ''].map((leaves) => encoder(leaves, '+')),
  // encodeURI, with and without brackets; quote of Python.
  ...[";/?:@&=+$,#~!*'()", ";/?:@&=+$,#~!*'()[]", '~/', '/'].map((leaves) => encoder(leaves)),
  // RFC 3986: who somebody is, a part of a path, a path, a query.
  ...['', ':', ':@', ':@/', ':@/?'].map((more) => encoder(`~${subDelims}${more}`)),
  // Go: who somebody is, a part of a path, a path.
  ...['~$&+,;=', '~$&+=:@', '~$&+,/:;=@'].map((leaves) => encoder(leaves)),
  // The standard of browsers and of node's URL: who somebody is, a path, a query, what stands behind `#`.
  ...["!$%&'()*+,~", "!$%&'()*+,~/:;=@[\\]|", '!$%&()*+,~/:;=@[\\]|?^`{}', "!$%&'()*+,~/:;=@[\\]|?^{}#"].map(
    (leaves) => encoder(leaves),
  ),
];

function percentForms(part: string): string[] {
  return encoders.flatMap(({ encoded, blank }) => {
    const text = part.replace(encoded, (character) => (character === ' ' ? blank : percent(character)));
    return [text, text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())];
  });
}

function percent(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${hex(byte, 2).toUpperCase()}`).join('');
}

/** What programs escape in JSON besides what they must: what is no ASCII, what HTML reads, and `/`; each, or not. */
const escapedBesides = [/[^\x20-\x7e]/g, /[<>&'\u2028\u2029]/g];

function jsonForms(part: string): string[] {
  let forms = [JSON.stringify(part).slice(1, -1)];
  for (const which of escapedBesides)
    forms = forms.flatMap((text) => [text, text.replace(which, lower), text.replace(which, upper)]);
  return forms.flatMap((text) => [text, text.replaceAll('/', '\\/')]);
}

function lower(unit: string): string {
  return `\\u${hex(unit.charCodeAt(0), 4)}`;
}

function upper(unit: string): string {
  return `\\u${hex(unit.charCodeAt(0), 4).toUpperCase()}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
