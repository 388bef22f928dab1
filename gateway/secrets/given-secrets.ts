import type { Logger } from 'pino';
import { ClawrdenError } from '../../src/errors.ts';
import type { InitSecrets } from '../../src/init-client/init-plan.ts';
import type { Plan } from '../../src/plan.ts';
import { createHiding, createMasking, type MaskStream } from './mask-stream.ts';
import type { Secret } from './open-secrets.ts';

/** What one plan gives its tool: they go to the init, and are nowhere else. */
export interface GivenSecrets {
  readonly forInit: InitSecrets;
  /** Masks one stream of what the tool writes. */
  readonly mask: () => MaskStream;
  /** Masks one text, in which small letters may stand for large ones: a name that its tool asked for, for example. */
  readonly hide: (text: string) => string;
}

/** Together they must fit in a frame beside the plan, and in the ghost's folder of secrets. */
const mostBytes = 512 * 1024;

/** The values of a plan's secrets as they are now; undefined if it has none. Rejects with `secret-unavailable`. */
export type GiveSecrets = (plan: Plan, signal: AbortSignal) => Promise<GivenSecrets | undefined>;

export function createGiveSecrets(secret: Secret, log: Pick<Logger, 'warn'>): GiveSecrets {
  async function read(name: string, signal: AbortSignal): Promise<string> {
    try {
      return String(await secret(name, signal));
    } catch (error) {
      signal.throwIfAborted();
      // Why is for operators: it names files and programs of the gateway.
      log.warn({ secret: name, why: (error as Error).message }, 'a secret cannot be read');
      throw unavailable(
        `the secret ${name} cannot be read now; "clawrden secrets check" or "clawrden doctor" says why`,
      );
    }
  }

  return async ({ secrets }, signal) => {
    if (secrets === undefined) return undefined;
    const given = await Promise.all(
      secrets.map(async ({ as, secret: name }) => ({ as, value: await read(name, signal) })),
    );
    const values = given.map(({ value }) => value);
    if (Buffer.byteLength(values.join('')) > mostBytes)
      throw unavailable(`the secrets of this tool have more than ${mostBytes} bytes together`);
    const [files, variables] = [given.filter(isFile), given.filter((each) => !isFile(each))];
    return {
      forInit: {
        env: variables.map(({ as, value }) => `${as}=${value}`),
        files: files.map(({ as, value }) => ({ path: as, text: value })),
      },
      mask: createMasking(values),
      hide: createHiding(values),
    };
  };
}

function isFile({ as }: { readonly as: string }): boolean {
  return as.startsWith('/');
}

function unavailable(text: string): ClawrdenError {
  return new ClawrdenError('secret-unavailable', text);
}
