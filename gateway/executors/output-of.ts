import type { Output, Send } from '../../src/wire/execution-io.ts';
import type { Execution } from '../execution/execution.ts';
import type { GivenSecrets } from '../secrets/given-secrets.ts';

type Written = Extract<Output, { type: 'stdout' | 'stderr' }>;

/**
 * Where a tool's init sends what it says: to what is kept of it, and to its caller. Secrets are masked in what is kept;
 * and for the caller, too, unless the plan says `unmasked`.
 */
export function outputOf(
  execution: Execution,
  secrets: GivenSecrets | undefined,
  unmasked: boolean,
): Send<Output> {
  const keep = ({ type, bytes }: Written) => execution.output.add(type === 'stdout' ? 1 : 2, bytes);
  if (secrets === undefined) {
    return (output) => {
      if (isWritten(output)) keep(output);
      return execution.send(output);
    };
  }
  const masks = { stdout: secrets.mask(), stderr: secrets.mask() };
  const pass = (type: Written['type'], bytes: Uint8Array) => {
    if (bytes.length === 0) return undefined;
    keep({ type, bytes });
    return unmasked ? undefined : execution.send({ type, bytes });
  };
  const finish = async () => {
    for (const type of ['stdout', 'stderr'] as const) await pass(type, masks[type].end());
  };
  return (output) => {
    // Behind it comes no output, only the end.
    if (output.type === 'unread') return finish().then(() => execution.send(output));
    if (!isWritten(output)) return execution.send(output);
    const wait = pass(output.type, masks[output.type].push(output.bytes));
    return unmasked ? execution.send(output) : wait;
  };
}

function isWritten(output: Output): output is Written {
  return output.type === 'stdout' || output.type === 'stderr';
}
