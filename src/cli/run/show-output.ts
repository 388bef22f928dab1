import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type RecordedStream, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { renderBytes } from '../../text/render-text.ts';
import { printJson, printLine } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';

/**
 * The recorded part of both streams. On a terminal every line of a tool begins with a bar, so it cannot imitate one
 * of ours.
 */
export async function showOutput(
  client: GatewayClient,
  asked: { readonly id: string; readonly caller: string },
  { json }: { readonly json?: boolean },
): Promise<void> {
  const { id: whole, stdout, stderr } = await client.call(WardenServiceService.getOutput, asked);
  if (stdout === undefined || stderr === undefined)
    throw new CliError('show', `nothing is kept of what ${whole} wrote`, 'see `record` in docs/policy.md');
  if (json === true) return printJson({ id: whole, stdout: toJson(stdout), stderr: toJson(stderr) });
  printStream('stdout', stdout);
  printStream('stderr', stderr);
}

/** In Base64, because the bytes may have no encoding. */
function toJson({ head, dropped, tail }: RecordedStream): object {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return { head: base64(head), dropped, tail: base64(tail) };
}

function printStream(name: string, { head, dropped, tail }: RecordedStream): void {
  printLine([`${name}, ${BigInt(head.length + tail.length) + dropped} bytes`, 'grey']);
  if (dropped === 0n) return printLines(Buffer.concat([head, tail]));
  printLines(head);
  printLine([`(${dropped} bytes were not kept)`, 'yellow']);
  printLines(tail);
}

const newline = 0x0a;

function printLines(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(newline, at);
    const line = bytes.subarray(at, end === -1 ? bytes.length : end);
    printLine(['| ', 'grey'], renderBytes(line));
    if (end === -1) printLine(['(no line end)', 'grey']);
    at = end === -1 ? bytes.length : end + 1;
  }
}
