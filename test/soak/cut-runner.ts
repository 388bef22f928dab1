// Cuts exchanges between two carriers, one after the other, until its stdin ends; prints one line for each.
import { setTimeout as sleep } from 'node:timers/promises';
import { carrierBuilds, fileSystems } from '../../shim/native/test/carrier-process.ts';
import { CutExchanges } from '../../shim/native/test/cut-exchanges.ts';

const [seed = '1', everyMs = '0'] = process.argv.slice(2);
const stopping = new AbortController();
process.stdin.on('end', () => stopping.abort()).resume();

await using exchanges = await CutExchanges.make(carrierBuilds[0].carrier, fileSystems[0], Number(seed));
while (!stopping.signal.aborted) {
  const next = performance.now() + Number(everyMs);
  const problems = await exchanges.next();
  process.stdout.write(`${JSON.stringify({ ...exchanges.cuts, problems })}\n`);
  const pause = Math.max(0, next - performance.now());
  await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
}
