const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Shorter texts cost less than a millisecond, and a line of a pull is nearly all braces. */
const shortBytes = 1024;
/** Shorter ones may have more parts: an image may expose all ports there are. */
const fewBytes = 1024 * 1024;
const bytesOfPort = 8;
/** No engine nests its answers half as deep. */
const deepest = 64;
/** Arrays and objects: what an engine says of a thing has one in fifty bytes or less. */
const bytesOfOne = 32;

/**
 * Whether to parse these bytes as JSON would cost the thread many times what as many bytes of an engine's real answer
 * cost: for 7 MiB of them, nested a million deep or all of empty arrays, that is 1 to 3.5 s.
 */
export function isCostly(json: Buffer): boolean {
  if (json.length <= shortBytes) return false;
  let [depth, left] = [0, json.length / (json.length <= fewBytes ? bytesOfPort : bytesOfOne)];
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) at = endOfText(json, at);
    else if (byte === openArray || byte === openObject) {
      depth += 1;
      left -= 1;
      if (depth > deepest || left < 0) return true;
    } else if (byte === closeArray || byte === closeObject) depth -= 1;
  }
  return false;
}

/** What an engine lists takes hundreds of bytes each. */
const itemsMost = 50_000;

/** Where a list may be cut, between two of its items, into parts of about so many bytes; undefined if it has too many. */
export function cutsOf(list: Buffer, bytes: number): number[] | undefined {
  const cuts: number[] = [];
  let [depth, next, items] = [0, bytes, 0];
  for (let at = 0; at < list.length; at += 1) {
    const byte = list[at];
    if (byte === quote) at = endOfText(list, at);
    else if (byte === openArray || byte === openObject) depth += 1;
    else if (byte === closeArray || byte === closeObject) depth -= 1;
    else if (byte === comma && depth === 1) {
      items += 1;
      if (items > itemsMost) return undefined;
      if (at < next) continue;
      cuts.push(at);
      next = at + bytes;
    }
  }
  return cuts;
}

function endOfText(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}
