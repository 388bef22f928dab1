import type { KeyObject } from 'node:crypto';
import { isSignatureOf } from './chain.ts';
import { type HandOver, handOverType, keyHandedOverTo, keyOfText, keyText } from './hand-over.ts';
import type { LogPart } from './open-regular.ts';
import { readLines } from './read-lines.ts';

/** Which key signs where in a log, from its first record on. */
export interface KeyChain {
  readonly isSigned: (text: string, signature: unknown) => boolean;
  /** Whether the record hands over to another key, which signs from here on. Takes it without its hash. */
  readonly handOver: (record: Readonly<Record<string, unknown>>) => boolean;
  /**
   * Whether the key that the verifier trusts has signed by now. It then vouches for what is before, by the hash of the
   * last record, and for the keys after it, which it names.
   */
  readonly isTrusted: () => boolean;
}

/** `trusted`: any of the log's signing keys, public or private. */
export async function openKeyChain(files: readonly LogPart[], trusted: KeyObject): Promise<KeyChain> {
  const wanted = keyText(trusted);
  let present = (await firstFormer(files)) ?? wanted;
  let key = keyOfText(present);
  let isTrusted = present === wanted;
  return {
    isSigned: (text, signature) =>
      key !== undefined && typeof signature === 'string' && isSignatureOf(text, signature, key),
    handOver: (record) => {
      const next = keyHandedOverTo(record, present);
      if (next === undefined) return false;
      present = next;
      key = keyOfText(next);
      isTrusted ||= next === wanted;
      return true;
    },
    isTrusted: () => isTrusted,
  };
}

/** The key that signed until the first record that names another one. */
async function firstFormer(files: readonly LogPart[]): Promise<string | undefined> {
  for (const file of files) {
    for await (const { text } of readLines(file)) {
      const record = text.includes(handOverMark) ? handOverIn(text) : undefined;
      if (record !== undefined) return record.former;
    }
  }
  return undefined;
}

/** Stands in the line of every such record: a quick look before a line is parsed. */
export const handOverMark = `"type":"${handOverType}"`;

/** What a line says of keys; undefined if it is about something else. Checks nothing. */
export function handOverIn(line: string): (HandOver & Readonly<Record<string, unknown>>) | undefined {
  try {
    const { hash: _, ...record } = JSON.parse(line) as Record<string, unknown>;
    const { type, key, former } = record;
    const isOne = type === handOverType && typeof key === 'string' && typeof former === 'string';
    return isOne ? { ...record, key, former } : undefined;
  } catch {
    return undefined;
  }
}
