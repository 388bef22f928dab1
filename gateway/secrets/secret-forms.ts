import { joinedForm } from './joined-text.ts';

/** A shorter text would be found everywhere; a value is at least as long. */
export const leastFormBytes = 8;

/** What is longer is looked for in pieces, so that also a part of it is found, and little is held back. */
const mostFormBytes = 1024;
/** The last piece of a form has the bytes that are too few for one more. */
export const mostPieceBytes = mostFormBytes + leastFormBytes - 1;
/** A piece of a joined text comes from no more bytes than that, also if each of its own is an escape of six. */
const mostJoinedBytes = Math.floor(mostPieceBytes / 6) - leastFormBytes + 1;

/**
 * The texts by which a value can be told: as it is, in base64 wherever it begins, percent-encoded; `joined` are the same
 * in a `JoinedText`. Of a value of several lines each line counts, because a terminal ends lines in its own way.
 */
export function formsOf(value: string): { readonly plain: Buffer[]; readonly joined: Buffer[] } {
  const forms = wholeForms(value);
  return {
    plain: inPieces(forms, mostFormBytes),
    joined: inPieces(forms.map(joinedForm), mostJoinedBytes),
  };
}

function wholeForms(value: string): string[] {
  const lines = value.split(/\r?\n/);
  const parts = lines.length === 1 ? [value] : [value, ...lines];
  return parts.filter(isLong).flatMap((part) => [part, ...base64Forms(part), ...percentForms(part)]);
}

function isLong(text: string): boolean {
  return Buffer.byteLength(text) >= leastFormBytes;
}

function base64Forms(part: string): string[] {
  return [0, 1, 2]
    .map((offset) => base64At(offset, Buffer.from(part)))
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** The characters that are the same whatever stands before and behind the value. */
function base64At(offset: number, value: Buffer): string {
  const whole = Buffer.concat([Buffer.alloc(offset), value]);
  const text = whole.toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor((whole.length * 8) / 6));
}

function inPieces(forms: readonly string[], most: number): Buffer[] {
  const pieces = [...new Set(forms)].filter(isLong).flatMap((form) => piecesOf(form, most));
  return [...new Set(pieces)].map((piece) => Buffer.from(piece, 'latin1'));
}

/** As latin1, so that equal bytes are one text. */
function piecesOf(form: string, most: number): string[] {
  const bytes = Buffer.from(form).toString('latin1');
  const count = Math.ceil((bytes.length - leastFormBytes + 1) / most);
  return Array.from({ length: count }, (_, at) =>
    bytes.slice(at * most, at === count - 1 ? undefined : (at + 1) * most),
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
  const bytes = Array.from(Buffer.from(character), (byte) => byte.toString(16).padStart(2, '0'));
  return bytes.map((digits) => `%${digits.toUpperCase()}`).join('');
}
