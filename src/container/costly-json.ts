const [quote, backslash] = [0x22, 0x5c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Shorter texts cost no more than some milliseconds, however deep they are. */
const shortBytes = 64 * 1024;
/** And shorter ones no more than a tenth of a second, of however many parts; an image may expose all ports there are. */
const fewBytes = 1024 * 1024;
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
  let [depth, left] = [0, json.length <= fewBytes ? json.length : json.length / bytesOfOne];
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

function endOfText(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}
