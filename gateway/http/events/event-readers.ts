import type { Faults } from '../../../src/faults.ts';
import { eventTypes } from '../../../src/http-api/events.ts';
import type { Routes } from '../../../src/http-api/routes.ts';
import { inPieces } from '../../../src/next-piece.ts';
import type { LookTurns } from '../../connections/look-turns.ts';
import type { EventFeed, GatewayEvent } from '../../ports/events.ts';
import type { Principal } from '../../ports/principal.ts';
import type { WardenApi } from '../../ports/warden-api.ts';
import { createHears } from '../../principals/hears.ts';
import type { Call } from '../add-routes.ts';
import { type HttpPace, httpPace } from '../node-server.ts';
import { createEventFrames } from './event-frames.ts';
import { createEventReader, type EventReader, type Hearing } from './event-reader.ts';

type EventsCall = Call<Routes['events']>;

/** Everybody who reads events over HTTP. */
export interface EventReaders {
  /** Answers by itself. */
  readonly add: (call: EventsCall) => undefined;
  readonly close: () => void;
}

export interface EventReadersParts {
  readonly warden: Pick<WardenApi, 'within'>;
  readonly events: EventFeed;
  readonly looks: Pick<LookTurns, 'nextPiece'>;
  readonly faults: Faults;
  readonly pace?: Pick<HttpPace, 'stalledMs'>;
}

const lookMs = 1000;
const markMs = 15_000;

interface Reading {
  readonly reader: EventReader;
  /** Ends it, or has it hear what its caller may hear now. */
  readonly look: () => void;
}

export function createEventReaders({
  warden,
  events,
  looks,
  faults,
  pace = httpPace,
}: EventReadersParts): EventReaders {
  const frames = createEventFrames();
  const open = new Set<Reading>();
  const closing = new AbortController();
  const each = (where: string, act: (reading: Reading) => void) =>
    faults.guard(where, () => {
      for (const reading of open) act(reading);
    });
  const pieces = (work: () => void) => inPieces(looks.nextPiece, faults.guard('events told', work));
  events.watch(
    each('events told', ({ reader }) => reader.go()),
    closing.signal,
  );
  const timer = setInterval(
    each('event readers', ({ look }) => look()),
    lookMs,
  ).unref();

  function begin(call: EventsCall, from: number, hearing: Hearing): EventReader {
    const { reply } = call;
    reply.hijack();
    const headers = reply.getHeaders() as Record<string, string>;
    reply.raw.writeHead(200, { ...headers, ...streamHeaders });
    return createEventReader(reply.raw, events, frames, { from, hearing, inPieces: pieces });
  }

  return {
    add: (call) => {
      const newest = events.begin();
      const last = lastEventId(call);
      const from = last === '' ? newest : frames.placeOf(last);
      const hearing = createHearing(call, warden);
      const reader = begin(call, from ?? newest, hearing.now());
      const hearAgain = pieces(() => hearOthers(reader, hearing, call));
      const look = () => {
        lookAt(reader, call, pace);
        hearAgain();
      };
      const reading = { reader, look };
      if (call.reply.raw.destroyed) return;
      open.add(reading);
      call.reply.raw.once('close', () => open.delete(reading));
      if (from === undefined) reader.reset('the id is not of this gateway since its start');
      else reader.mark();
      reader.go();
    },
    close: () => {
      closing.abort();
      clearInterval(timer);
      for (const { reader } of open) reader.end('the gateway is shutting down');
    },
  };
}

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'x-accel-buffering': 'no',
};

function lastEventId({ request }: EventsCall): string {
  return String(request.headers['last-event-id'] ?? '');
}

function lookAt(
  reader: EventReader,
  { check }: EventsCall,
  { stalledMs }: Pick<HttpPace, 'stalledMs'>,
): void {
  const checked = check();
  if ('refused' in checked) return reader.end(checked.refused);
  if (reader.isStalled() && reader.quietMs() > stalledMs)
    return reader.end(`its reader took nothing for ${stalledMs / 1000} s`);
  if (!reader.isStalled() && reader.quietMs() > markMs) reader.mark();
}

/** If its caller may hear others now. That reads the names of all agents. */
function hearOthers(reader: EventReader, hearing: CallHearing, { check }: EventsCall): void {
  const checked = check();
  if ('refused' in checked || !hearing.hasChanged(checked.value)) return;
  reader.hear(hearing.now());
  reader.reset('its scope holds other agents now');
}

/** What a call hears: of what its principal may, that for which it asked. */
interface CallHearing {
  readonly now: () => Hearing;
  /** Whether its agents are others than before; from then on they are these. */
  readonly hasChanged: (principal: Principal) => boolean;
}

function createHearing({ caller, query }: EventsCall, warden: Pick<WardenApi, 'within'>): CallHearing {
  const agentsOf = (principal: Principal) => warden.within(principal).names()?.toSorted().join(' ');
  let [principal, agents] = [caller, agentsOf(caller)];
  const types: ReadonlySet<string> = new Set(query.types?.split(',') ?? eventTypes);
  const wanted = ({ change, agent }: GatewayEvent) =>
    types.has(change.type.replace(/-gone$/, '')) && (query.agent === undefined || agent === query.agent);
  return {
    now: () => {
      const sees = warden.within(principal);
      const hears = createHears(principal, sees, warden.within);
      return { agent: sees.agent, hears: (event) => wanted(event) && hears(event) };
    },
    hasChanged: (next) => {
      const before = agents;
      [principal, agents] = [next, agentsOf(next)];
      return agents !== before;
    },
  };
}
