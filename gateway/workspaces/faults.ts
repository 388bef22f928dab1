import { CarrierError } from '../../src/carrier-client/carrier-error.ts';
import { ClawrdenError, type ErrorCode } from '../../src/errors.ts';

/** What a carrier says of its own workspace is for people as it is; everything else means that it is gone. */
const said: ReadonlyMap<string, ErrorCode> = new Map([
  ['workspace-full', 'workspace-full'],
  ['workspace-limit', 'workspace-limit'],
  ['workspace-suspect', 'workspace-suspect'],
  ['workspace-missing', 'workspace-suspect'],
]);

/** An error of an exchange with the replica on `host`, as a ClawrdenError. */
export function toWorkspaceError(error: unknown, host: string): unknown {
  if (!(error instanceof CarrierError)) return error;
  const code = said.get(error.code) ?? 'workspace-unreachable';
  return new ClawrdenError(code, `${error.text} (workspace on ${host})`, { cause: error });
}

/** What ends a carrier, and not only an operation. */
const gone: ReadonlySet<string> = new Set([
  ...['carrier-lost', 'carrier-failed'],
  ...['workspace-missing', 'bad-frame', 'bad-entry'],
]);

/** The operation did not happen, and the carrier goes on. */
export function isRefusal(error: unknown): boolean {
  return error instanceof CarrierError && !gone.has(error.code);
}
