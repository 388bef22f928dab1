import type { GatewayEvent as EventJson } from '../../../src/http-api/events.ts';
import { numbersOf, toToken } from '../../lists/page-token.ts';
import { createSeal } from '../../lists/seal.ts';
import { shortText, toTime } from '../../lists/short-texts.ts';
import type { Change, GatewayEvent } from '../../ports/events.ts';
import { toAgentJson, toExecutionView, toHostJson, toStatus, toWaitingView } from '../views.ts';

/** Events as they are written in `text/event-stream`. Places are sealed: they count events of everybody. */
export interface EventFrames {
  readonly of: (event: GatewayEvent) => string;
  readonly notice: (type: 'reset' | 'end', reason: string, place?: number) => string;
  /** No event: its reader only knows from now on that it has all up to there. */
  readonly mark: (place: number) => string;
  /** Undefined if this gateway, since its start, has given no such id. */
  readonly placeOf: (id: string) => number | undefined;
}

/** Of the newest events: readers that keep up all need the same ones. */
const framesAtMost = 1000;

export function createEventFrames(): EventFrames {
  const seal = createSeal();
  const frames = new Map<number, string>();
  const idOf = (place: number) => toToken(seal, 'events', [place]);

  function make(event: GatewayEvent): string {
    const json = { ...toJson(event.change), at: toTime(event.at) } as EventJson;
    const text = `id: ${idOf(event.place)}\n${frameOf(json)}`;
    const [oldest = 0] = frames.keys();
    // A reader that comes back from long ago does not push out what all others read.
    if (event.place < oldest) return text;
    if (frames.size >= framesAtMost) frames.delete(oldest);
    frames.set(event.place, text);
    return text;
  }

  return {
    of: (event) => frames.get(event.place) ?? make(event),
    notice: (type, reason, place) =>
      `${place === undefined ? '' : `id: ${idOf(place)}\n`}${frameOf({ type, at: toTime(Date.now()), reason })}`,
    mark: (place) => `: \nid: ${idOf(place)}\n\n`,
    placeOf: (id) => {
      try {
        return numbersOf(seal, 'events', id, 1)?.[0];
      } catch {
        return undefined;
      }
    },
  };
}

function frameOf(json: EventJson): string {
  return `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`;
}

function toJson({ type, row }: Change): object {
  switch (type) {
    case 'execution':
      return { type, execution: toExecutionView(row) };
    case 'approval':
      return { type, approval: toWaitingView(row) };
    case 'approval-gone':
      return { type, approval: row };
    case 'agent':
      return { type, agent: toAgentJson(row) };
    case 'host':
      return { type, host: toHostJson(row) };
    case 'status':
      return { type, status: toStatus(row) };
    case 'policy':
      return { type, policy: { hash: row.hash, problem: shortText(row.problem) } };
    default:
      return { type, name: row.name };
  }
}
