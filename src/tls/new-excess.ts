/** How much of what it need not bring a connection may save up for later, or what may wait to be read. */
const savedBytes = 64 * 1024;

/**
 * Takes how many bytes too many came since the connection began: negative if it may still bring some. Returns how many
 * of them are new.
 */
export function newExcess(): (excess: number) => number {
  let counted = 0;
  return (excess) => {
    const more = Math.max(excess - counted, 0);
    counted = Math.min(counted + more, excess + savedBytes);
    return more;
  };
}
