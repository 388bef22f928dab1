import { isPeerName } from '../../src/pki/peer-name.ts';
import { escapeUnprintable } from '../../src/text/render-text.ts';
import { shortText } from '../lists/short-texts.ts';
import type { Checked } from '../ports/authentication.ts';

/**
 * What a person is called here. Capitals are small letters, so that `Ann` does not stand beside `ann`; an address of
 * mail is written with `.at.`, because names are parts of certificates. Only letters of ASCII are made small: others
 * become letters of ASCII, too, and the name would be somebody else's.
 */
export function nameOf(claim: string, said: unknown): Checked<string> {
  if (typeof said !== 'string') return { refused: `the provider sends no name in the claim ${claim}` };
  const name = said
    .replaceAll(/[A-Z]/g, (capital) => capital.toLowerCase())
    .replace(/^([^@]+)@([^@]+)$/, '$1.at.$2');
  if (isPeerName(name)) return { value: name };
  const shown = escapeUnprintable(shortText(said));
  const form = 'a name has letters, digits, ".", "_" and "-", 63 at most';
  return {
    refused: `the claim ${claim} says ${JSON.stringify(shown)}, which cannot be a name here: ${form}`,
  };
}
