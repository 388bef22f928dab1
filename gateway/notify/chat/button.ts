import { fromBase64url, toBase64url } from '../../../src/text/base64url.ts';

/** Of the plan's hash, in bytes: a button of Telegram holds 64 characters, and this is as much as there is room for. */
const hashBytes = 30;
const form = /^([ad])([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{40})$/;

/** What a button carries: the answer, the approval, and 240 bits of its plan's hash. */
export interface Button {
  readonly verdict: 'approved' | 'denied';
  readonly id: string;
  readonly isOf: (planHash: string) => boolean;
}

export function buttonData(
  verdict: Button['verdict'],
  { id, planHash }: { readonly id: string; readonly planHash: string },
): string {
  return `${verdict === 'approved' ? 'a' : 'd'}${packed(id)}${beginOf(planHash)}`;
}

/** Undefined if we did not make it: what comes from a chat may have been made up. */
export function readButton(data: string): Button | undefined {
  const [, letter, packedId = '', begin = ''] = form.exec(data) ?? [];
  const id = fromBase64url(packedId);
  if (letter === undefined || id === undefined) return undefined;
  return {
    verdict: letter === 'a' ? 'approved' : 'denied',
    id: id.toString('hex'),
    isOf: (planHash) => beginOf(planHash) === begin,
  };
}

function packed(hex: string): string {
  return toBase64url(Buffer.from(hex, 'hex'));
}

function beginOf(planHash: string): string {
  return packed(planHash.slice(0, 2 * hashBytes));
}
