import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { fromBase64url, toBase64url } from '../../src/text/base64url.ts';

/** Makes a text that its reader can only give back: places count rows that the reader may not see. */
export interface Seal {
  readonly close: (text: string) => string;
  /** Undefined if this gateway, since its start, has not closed it. */
  readonly open: (sealed: string) => string | undefined;
}

const algorithm = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];
/** So that the length tells next to nothing. */
const blockBytes = 64;

export function createSeal(): Seal {
  const key = randomBytes(32);
  return {
    close: (text) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce);
      const padded = text.padEnd(Math.ceil(text.length / blockBytes) * blockBytes);
      const body = Buffer.concat([cipher.update(padded, 'utf8'), cipher.final()]);
      return toBase64url(Buffer.concat([nonce, body, cipher.getAuthTag()]));
    },
    open: (sealed) => {
      const bytes = fromBase64url(sealed);
      if (bytes === undefined || bytes.length < nonceBytes + tagBytes) return undefined;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      const body = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
      try {
        return Buffer.concat([body, decipher.final()]).toString('utf8').trimEnd();
      } catch {
        return undefined;
      }
    },
  };
}
