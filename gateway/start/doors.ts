import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { loadNativeAddon } from '../../src/native-addon.ts';
import type { Authorities } from '../keys/authorities.ts';
import { type FollowParts, type LivePair, openServerFiles } from '../live-config/server-files.ts';

/** What the doors show of files, where gateway.yaml names some. */
export interface Doors {
  /** The same authorities, behind a door that shows the certificate of the files. */
  readonly grpc: (own: Authorities) => Authorities;
  readonly http: LivePair | undefined;
  readonly warnings: () => string[];
  readonly follow: (parts: FollowParts, signal: AbortSignal) => void;
}

/** Clients of this gateway have certificates of its authority itself; those of the web's servers have one or two between. */
const between = { clients: 0, servers: 6 };

/**
 * Throws a line that names the file if one cannot be used now. From here on no peer's chain of certificates costs more
 * than a few signatures (ADR 0209).
 */
export function openDoors({ grpc, http }: Pick<GatewayConfig, 'grpc' | 'http'>): Doors {
  loadNativeAddon().boundCertificateChains(between.clients, between.servers);
  const [first, second] = [
    grpc.tls && openServerFiles(grpc.tls, 'grpc.tls'),
    http.tls && openServerFiles(http.tls, 'http.tls'),
  ];
  const pairs = [first, second].filter((pair) => pair !== undefined);
  return {
    grpc: (own) => (first === undefined ? own : shownBy(first, own)),
    http: second,
    warnings: () => pairs.flatMap((pair) => pair.warnings()),
    follow: (parts, signal) => {
      for (const pair of pairs) pair.follow(parts, signal);
    },
  };
}

/** Whose client certificates count stays as it is. */
function shownBy(pair: LivePair, own: Authorities): Authorities {
  return {
    ...own,
    server: pair.now,
    watch: (listener) => {
      own.watch(listener);
      pair.watch(listener);
    },
  };
}
