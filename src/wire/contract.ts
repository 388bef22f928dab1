import { ClawrdenError } from '../errors.ts';

/** What a gateway of this release tells its relays that they can rely on, and what a relay of it needs. */
export const contract = 1;

/** Why a relay serves nothing for a gateway that tells it of `told`; undefined if it has what the relay needs. */
export function refusalOf(told: number): ClawrdenError | undefined {
  if (told >= contract) return undefined;
  const text =
    'the gateway is of an older release than its relay; ask the operator to upgrade the gateway first';
  return new ClawrdenError('gateway-older', text);
}
