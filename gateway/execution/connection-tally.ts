import type { ReachedPlace } from '../../src/egress/reached-place.ts';
import type { ConnectionRecord } from '../audit/connection-record.ts';

/** So many places are told of one execution; the audit has every connection. */
const mostPlaces = 20;

/** What the connections of one execution reached, and what they were refused. */
export interface ConnectionTally {
  readonly add: (record: ConnectionRecord) => void;
  /** JSON of them, as `ReachedPlace`; the last one is `other` if there are more. With how many connections there were. */
  readonly told: () => { readonly connections: string; readonly connectionCount: number };
}

export function createConnectionTally(): ConnectionTally {
  const places = new Map<string, ReachedPlace>();
  let count = 0;

  /** Of what comes after the last place. */
  function placeOf({ to, route, outcome }: ConnectionRecord): ReachedPlace {
    const key = JSON.stringify([to, route, outcome]);
    const known = places.get(key);
    if (known !== undefined) return known;
    const isOther = places.size >= mostPlaces;
    const place = isOther ? { to: '', route: '', outcome: 'other' } : { to, route, outcome };
    return places.get(isOther ? 'other' : key) ?? kept(isOther ? 'other' : key, place);
  }

  function kept(key: string, place: Pick<ReachedPlace, 'to' | 'route' | 'outcome'>): ReachedPlace {
    const whole = { ...place, times: 0, up: 0, down: 0 };
    places.set(key, whole);
    return whole;
  }

  return {
    add: (record) => {
      const place = placeOf(record);
      place.times += 1;
      count += 1;
      place.up += record.up;
      place.down += record.down;
    },
    told: () => ({ connections: JSON.stringify([...places.values()]), connectionCount: count }),
  };
}
