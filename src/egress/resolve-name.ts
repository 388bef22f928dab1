import { promises } from 'node:dns';
import { isIP } from 'node:net';
import { onAbort } from '../abort.ts';
import { EgressError } from './egress-error.ts';

/** Each of two tries at each server. */
const answerWithinMs = 5000;
const mostAddresses = 256;

/**
 * All addresses of a name, asked of DNS and of nothing else: getaddrinfo() would hold one of the few threads by which
 * the audit is written, for as long as a server likes.
 */
export async function resolveName(name: string, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(name) !== 0) return [name];
  const answers = await Promise.allSettled([resolveKind(name, 4, signal), resolveKind(name, 6, signal)]);
  signal.throwIfAborted();
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > mostAddresses) throw new EgressError('unreachable', `${name} has too many addresses`);
  if (found.length > 0) return found;
  throw new EgressError('unreachable', `${name} has no address`, codesOf(answers));
}

/** Its addresses of one kind. Rejects if it has none. */
export async function resolveKind(
  name: string,
  kind: 4 | 6,
  signal: AbortSignal,
): Promise<readonly string[]> {
  signal.throwIfAborted();
  const resolver = new promises.Resolver({ timeout: answerWithinMs, tries: 2 });
  using _ = onAbort(signal, () => resolver.cancel());
  return await (kind === 4 ? resolver.resolve4(name) : resolver.resolve6(name));
}

function codesOf(answers: readonly PromiseSettledResult<readonly string[]>[]): string {
  return answers
    .flatMap((answer) =>
      answer.status === 'rejected' ? [String((answer.reason as { code?: unknown }).code)] : [],
    )
    .join(', ');
}
