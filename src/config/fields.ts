import { isIP } from 'node:net';
import { posix } from 'node:path';
import { z } from 'zod';
import type { Identity } from '../command.ts';
import { labelKey, labelValueLength } from '../labels.ts';
import type { ListenAddress, NetworkAddress } from './gateway-config.ts';
import { parseDuration, parseSize } from './quantities.ts';

const maxDurationMs = 7 * 86_400_000;
const maxId = 4_294_967_294;

/** A text that `parse` understands. If `parse` returns `undefined`, the problem is `must be ${wanted}`. */
export function parsedField<T>(parse: (text: string) => T | undefined, wanted: string): z.ZodType<T> {
  return z.string().transform((text, context): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({
      code: 'custom',
      message: `must be ${wanted}, not ${JSON.stringify(text.slice(0, 80))}`,
    });
    return z.NEVER;
  });
}

/** Milliseconds, from 1 ms to 7 days. */
export const durationField = parsedField((text) => {
  const ms = parseDuration(text);
  return ms !== undefined && ms <= maxDurationMs ? ms : undefined;
}, 'a duration like 30s, 5m or 1h30m, of at most 7d');

/** Bytes. */
export const sizeField = parsedField(parseSize, 'a size like 512m or 2g');

/** A host's, agent's or relay's name: it becomes part of paths, labels and certificates. */
export const nameField = parsedField(
  (text) => (/^[a-z0-9][a-z0-9._-]{0,62}$/.test(text) ? text : undefined),
  'a name of a-z, 0-9, ".", "_" and "-" (up to 63, beginning with a letter or digit)',
);

export const absolutePathField = parsedField(
  (text) => (isNormalPath(text) ? text : undefined),
  'an absolute path other than /, without "..", "//" or a slash at its end, of at most 4095 bytes',
);

export const pathField = z.string().min(1).max(4096);

export const labelsField = z.record(
  z.string().regex(labelKey, 'a label must have a plain name'),
  z.string().max(labelValueLength),
);

/** `uid:gid`. */
export const userField = parsedField(parseUser, 'a pair of numbers like "1000:1000"').refine(
  ({ uid }) => uid !== 0,
  'uid 0 is never accepted',
);

export const usersField = z.tuple([userField], userField);

export const listenField = parsedField(parseHostPort, 'HOST:PORT, like 127.0.0.1:8443');

/** IPv6 addresses stand in brackets. */
export function parseHostPort(text: string): ListenAddress | undefined {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
}

/** Where people and programs reach a listener: scheme, name and port, as a browser's `Origin` writes it. */
export const originField = parsedField(
  parseOrigin,
  'https://HOST[:PORT] or http://HOST[:PORT], without a path',
);

function parseOrigin(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\\s]+\/?$/.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** `10.0.0.0/8`, `fd00::/8`, or one address. */
export const networkField = parsedField(parseNetwork, 'an address or a network like 10.0.0.0/8');

function parseNetwork(text: string): NetworkAddress | undefined {
  const [, address = '', digits] = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  const prefix = digits === undefined ? longest : Number(digits);
  if (family === 0 || prefix > longest) return undefined;
  return { address, prefix, family: family === 4 ? 'ipv4' : 'ipv6' };
}

function parseUser(text: string): Identity | undefined {
  const [, uid, gid] = /^(0|[1-9]\d{0,9}):(0|[1-9]\d{0,9})$/.exec(text) ?? [];
  const identity = { uid: Number(uid), gid: Number(gid) };
  return identity.uid <= maxId && identity.gid <= maxId ? identity : undefined;
}

function isNormalPath(text: string): boolean {
  const isPath = text.startsWith('/') && !text.includes('\0') && text.isWellFormed();
  return text !== '/' && isPath && Buffer.byteLength(text) <= 4095 && trimmed(posix.normalize(text)) === text;
}

function trimmed(path: string): string {
  return path.endsWith('/') && path.length > 1 ? path.slice(0, -1) : path;
}
