import { createSecureContext } from 'node:tls';

const cheap = ['X25519MLKEM768', 'X25519', 'P-256', 'P-384'];

/**
 * How TLS agrees on a key, at every door and wherever the gateway is a client of a server that is not its own. OpenSSL's
 * own list has powers of numbers of 2048 bits and more: the peer would choose that a handshake costs milliseconds.
 */
export const keyExchanges = cheap.filter(isKnown).join(':');

/** OpenSSL before 3.5 does not know the first. */
function isKnown(ecdhCurve: string): boolean {
  try {
    createSecureContext({ ecdhCurve });
    return true;
  } catch {
    return false;
  }
}
