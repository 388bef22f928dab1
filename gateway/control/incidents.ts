import type { AuditLog } from '../audit/audit-log.ts';

type Tell = (incident: string, caller: string, text: string) => void;

/** Reports incidents to the audit: once a second of each kind, with a count of the others. */
export interface Incidents {
  readonly tell: Tell;
}

interface Kind {
  more: number;
  text: string;
}

const foldMs = 1000;

export function createIncidents(audit: AuditLog): Incidents {
  // If it cannot be written, the audit's health says so.
  const append: Tell = (incident, caller, text) =>
    void audit.append({ type: 'incident', incident, caller, text }).catch(() => {});
  return { tell: oncePerSecond(append) };
}

/** Tells the first of each kind at once, and how many followed when their second is over: no peer fills a log. */
export function oncePerSecond(write: Tell): Tell {
  // The gateway chooses `caller` and `incident`, so there are few of them.
  const kinds = new Map<string, Kind>();

  function tell(incident: string, caller: string, text: string): void {
    const key = `${incident} ${caller}`;
    const kind = kinds.get(key);
    if (kind !== undefined) {
      kind.more += 1;
      kind.text = text;
      return;
    }
    write(incident, caller, text);
    kinds.set(key, { more: 0, text });
    setTimeout(() => tellMore(key, incident, caller), foldMs).unref();
  }

  function tellMore(key: string, incident: string, caller: string): void {
    const { more = 0, text = '' } = kinds.get(key) ?? {};
    kinds.delete(key);
    if (more > 0) tell(incident, caller, `${text} (the last of ${more} in a second)`);
  }

  return tell;
}
