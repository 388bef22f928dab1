import { constants } from 'node:crypto';
import { keyExchanges } from './key-exchanges.ts';

/** For a server that is not our own: it chooses cheap handshakes, and no second one within a connection of TLS 1.2. */
export const clientTls = {
  ecdhCurve: keyExchanges,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;
