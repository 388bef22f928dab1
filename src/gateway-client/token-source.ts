import { type CallCredentials, type Client, credentials, Metadata } from '@grpc/grpc-js';
import { RelayServiceService } from '../gen/clawrden/v1/relay.ts';
import { unaryCall } from './unary-call.ts';

// Renewed early, so that a token does not expire on its way.
const spareMs = 60_000;

export interface TokenSource {
  /** What the gateway last said of the authorities to trust, as `trustPrint`; empty before. */
  readonly authority: () => string;
  /** Puts a valid JWT into each call's metadata. If there is no valid one, it fetches one for all waiting calls. */
  readonly credentials: CallCredentials;
  /** The gateway refused the token: the next call fetches another. */
  readonly forget: () => void;
}

export function createTokenSource(client: Client): TokenSource {
  let current: Promise<string> | undefined;
  let validUntil = 0;
  let authority = '';

  async function fetch(): Promise<string> {
    validUntil = Number.POSITIVE_INFINITY;
    try {
      const { token, expiresIn, authority: told } = await unaryCall(client, RelayServiceService.token, {});
      authority = told;
      validUntil = performance.now() + Math.max(expiresIn * 1000 - spareMs, 0);
      return token;
    } catch (error) {
      validUntil = 0;
      throw error;
    }
  }

  async function bearer(): Promise<Metadata> {
    if (current === undefined || performance.now() >= validUntil) current = fetch();
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${await current}`);
    return metadata;
  }

  return {
    credentials: credentials.createFromMetadataGenerator((_call, done) => {
      bearer().then((metadata) => done(null, metadata), done);
    }),
    authority: () => authority,
    forget: () => {
      validUntil = 0;
    },
  };
}
