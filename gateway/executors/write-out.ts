import { abortable } from '../../src/abort.ts';
import type { Execution } from '../execution/execution.ts';

const chunkBytes = 32 * 1024;

/** What the gateway itself says as a tool's output. Waits for a reader that is slow. */
export async function writeOut(
  { output, send }: Execution,
  type: 'stdout' | 'stderr',
  bytes: Buffer,
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes);
    output.add(type === 'stdout' ? 1 : 2, chunk);
    await abortable(Promise.resolve(send({ type, bytes: chunk })), signal);
  }
}
