import { randomBytes, timingSafeEqual } from 'node:crypto';
import { fromBase64url, toBase64url } from '../../../src/text/base64url.ts';

/** A button of Telegram holds 64 characters, and this is as much as there is room for. */
const codeBytes = 30;
const form = /^([ad])([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{40})$/;
const confirmForm = /^h[A-Za-z0-9_-]{40}$/;

export type ButtonVerdict = 'approved' | 'denied';

/** What the buttons of one question in one chat carry: random, so that who was shown one of them knows no other. */
export type ButtonCodes = Readonly<Record<ButtonVerdict, string>>;

/** A button as it was pressed. Nothing says yet that it was ever shown. */
export interface Button {
  readonly verdict: ButtonVerdict;
  readonly id: string;
  readonly isOf: (codes: ButtonCodes) => boolean;
}

export function newCodes(): ButtonCodes {
  return { approved: newCode(), denied: newCode() };
}

function newCode(): string {
  return toBase64url(randomBytes(codeBytes));
}

/** What the button of one order carries. */
export function newConfirm(): string {
  return `h${newCode()}`;
}

export function isConfirm(data: string): boolean {
  return confirmForm.test(data);
}

export function buttonData(verdict: ButtonVerdict, id: string, codes: ButtonCodes): string {
  const packedId = toBase64url(Buffer.from(id, 'hex'));
  return `${verdict === 'approved' ? 'a' : 'd'}${packedId}${codes[verdict]}`;
}

/** Undefined if it has not the form of ours: what comes from a chat may have been made up. */
export function readButton(data: string): Button | undefined {
  const [, letter, packedId = '', code = ''] = form.exec(data) ?? [];
  const id = fromBase64url(packedId);
  if (letter === undefined || id === undefined) return undefined;
  const verdict = letter === 'a' ? 'approved' : 'denied';
  const isOf = (codes: ButtonCodes) => timingSafeEqual(Buffer.from(codes[verdict]), Buffer.from(code));
  return { verdict, id: id.toString('hex'), isOf };
}
