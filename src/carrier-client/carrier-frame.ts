/** Frames between a carrier and its client; `docs/carrier.md` has their payloads. */
export const CarrierFrame = {
  hello: 32,
  ready: 33,
  settle: 34,
  state: 35,
  changes: 36,
  entry: 37,
  chunk: 38,
  done: 39,
  begin: 40,
  verify: 41,
  want: 42,
  checked: 43,
  commit: 44,
  applied: 45,
  abort: 46,
  manifest: 47,
  dirs: 48,
  read: 49,
  bytes: 50,
  acknowledge: 51,
  failed: 52,
  refused: 53,
  take: 56,
  working: 57,
} as const;

export const carrierProtocol = 1;
