import { type CallCredentials, type Client, credentials, Metadata } from '@grpc/grpc-js';
import { RelayServiceService } from '../gen/clawrden/v1/relay.ts';
import { unaryCall } from './unary-call.ts';

// So that a token does not expire on its way.
const spareMs = 60_000;

export interface TokenSource {
  /** Puts a valid JWT into each call's metadata; where there is none, one is fetched for all that wait. */
  readonly credentials: CallCredentials;
  /** The gateway did not take the token: the next call fetches another. */
  readonly forget: () => void;
}

export function createTokenSource(client: Client): TokenSource {
  let current: Promise<string> | undefined;
  let validUntil = 0;

  async function fetch(): Promise<string> {
    validUntil = Number.POSITIVE_INFINITY;
    try {
      const { token, expiresIn } = await unaryCall(client, RelayServiceService.token, {});
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
    forget: () => {
      validUntil = 0;
    },
  };
}
