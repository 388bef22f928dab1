import type { IncomingMessage } from 'node:http';
import type Docker from 'dockerode';
import { onAbort } from '../../src/abort.ts';
import { gatewayLabel } from '../../src/agent-container.ts';
import type { EngineEvent, WatchOptions } from '../ports/engine.ts';
import type { Departures } from './container/departures.ts';
import { callTimeoutMs, withDeadline } from './engine/deadline.ts';
import { jsonLines } from './engine/json-lines.ts';

export interface WatchSource {
  readonly docker: Docker;
  readonly gatewayId: string;
  readonly departures: Departures;
}

const wanted = {
  type: ['container', 'image', 'volume'],
  event: ['die', 'create', 'destroy', 'tag', 'untag', 'delete', 'load', 'import', 'pull'],
};

/** See `Engine.watch`. */
export async function watchEngine(
  { docker, gatewayId, departures }: WatchSource,
  { since, until, onOpen, onEvent }: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const range = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
  const stream = await openStream(docker, range, signal);
  using _ = onAbort(signal, () => void stream.destroy());
  try {
    onOpen?.(Math.floor(Date.parse(stream.headers.date ?? '') / 1000));
    for await (const message of jsonLines(stream)) {
      if (signal.aborted) return;
      const raw = message as RawEvent;
      if (raw.Type === 'container' && raw.Action === 'destroy' && raw.Actor?.ID)
        departures.gone(raw.Actor.ID);
      const event = toEvent(raw, gatewayId);
      if (event !== undefined) onEvent(event);
    }
    if (until === undefined) throw new Error('the engine ended its events');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stream.destroy();
  }
}

async function openStream(
  docker: Docker,
  range: { since?: number; until?: number },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const open = (abortSignal: AbortSignal) =>
    docker.getEvents({ ...range, filters: JSON.stringify(wanted), abortSignal });
  const stream = (await withDeadline(callTimeoutMs, open, signal)) as IncomingMessage;
  // A host that is cut off sends no end.
  stream.socket.setKeepAlive(true, 5000);
  return stream;
}

interface RawEvent {
  readonly Type?: string;
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
  readonly time?: unknown;
}

function toEvent({ Type, Action, Actor, time }: RawEvent, gatewayId: string): EngineEvent | undefined {
  const at = wholeNumber(time, Number.MAX_SAFE_INTEGER) ?? 0;
  if (Type === 'image') return { type: 'images-changed', at };
  if (Type === 'volume') return { type: 'volumes-changed', at };
  const { ID, Attributes = {} } = Actor ?? {};
  if (Type !== 'container' || Action !== 'die' || ID === undefined) return undefined;
  if (Attributes[gatewayLabel] !== gatewayId) return undefined;
  const exitCode = wholeNumber(Attributes.exitCode, 255);
  return { type: 'container-ended', containerId: ID, exitCode, at };
}

/** A host may say anything. */
function wholeNumber(told: unknown, most: number): number | undefined {
  const number = /^\d+$/.test(String(told)) ? Number(told) : Number.NaN;
  return number <= most ? number : undefined;
}
