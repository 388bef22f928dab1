import { randomFillSync } from 'node:crypto';

/** How far ahead of a gateway's clock the time of an id may be. */
export const mostAheadMs = 60_000;

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A UUIDv7 (RFC 9562): 48 bits of wall-clock milliseconds, then random bits. */
export function newExecutionId(now: number = Date.now()): string {
  const bytes = randomFillSync(Buffer.allocUnsafe(16));
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export function isExecutionId(text: string): boolean {
  return pattern.test(text);
}

/** The wall-clock milliseconds inside a UUIDv7. */
export function timeOfExecutionId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
