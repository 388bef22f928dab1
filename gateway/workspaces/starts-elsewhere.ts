import type { ClawrdenError } from '../../src/errors.ts';
import { ReplicaUnreachable } from './faults.ts';

/** After these errors nothing has run, and another host may succeed. A home that is away is away for all hosts. */
const codes: ReadonlySet<string> = new Set([
  'workspace-missing',
  'workspace-full',
  'workspace-limit',
  'image-missing',
  'no-host',
  'host-lost',
]);

/** Whether a container that did not start on one host may start on another. */
export function startsElsewhere(failed: ClawrdenError): boolean {
  return codes.has(failed.code) || failed instanceof ReplicaUnreachable;
}
