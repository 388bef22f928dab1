import { type Principal, principalName } from '../ports/principal.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { seenWarden } from './seen-warden.ts';
import type { Sees } from './sees.ts';

/** What one principal sees of the gateway. */
export interface Seen {
  readonly warden: WardenApi;
  readonly sees: Sees;
  /** The principal's name. */
  readonly reader: string;
}

export function seenBy(warden: WardenApi, caller: Principal): Seen {
  const sees = warden.within(caller);
  return { warden: seenWarden(warden, sees), sees, reader: principalName(caller) };
}
