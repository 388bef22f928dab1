import type { ServerResponse } from 'node:http';
import type { Faults } from '../../../src/faults.ts';
import type { FollowEvent } from '../../../src/http-api/follow.ts';
import type { Routes } from '../../../src/http-api/routes.ts';
import { inPieces, type NextPiece } from '../../../src/next-piece.ts';
import type { Outcome } from '../../../src/outcome.ts';
import type { Followed, OutputPart } from '../../ports/followed-output.ts';
import type { Call } from '../add-routes.ts';
import { createTextChunks } from '../execute/text-chunks.ts';
import { toOutcomeView } from '../execute/to-finished.ts';
import { HttpRefused } from '../problem.ts';
import { streamHeaders } from './event-readers.ts';

type FollowCall = Call<Routes['followExecution']>;

const settleMs = 20;
const lookMs = 1000;
const commentMs = 15_000;
const leaveMs = 2000;

interface FollowParts {
  readonly faults: Faults;
  /** All who read along hear of the same bytes in the same moment. */
  readonly nextPiece: NextPiece;
}

/** Tells what a running tool writes. Its reader loses what it does not take in time; the tool never waits. */
export async function followOutput(call: FollowCall, parts: FollowParts): Promise<undefined> {
  const { id } = call.params;
  const followed = await call.seen.warden.follow(id, call.caller);
  if (followed === undefined) throw new HttpRefused(404, notThere(id));
  const { reply } = call;
  reply.hijack();
  // It went away while the audit was written: it closes no second time.
  if (reply.raw.destroyed) return;
  const headers = reply.getHeaders() as Record<string, string>;
  reply.raw.writeHead(200, { ...headers, ...streamHeaders });
  tell(call, followed, parts);
}

/** Also for who may not see it any more. */
function notThere(id: string): string {
  return `no running execution ${id}`;
}

function tell(
  { params: { id }, query, check, seen, reply: { raw } }: FollowCall,
  followed: Followed,
  { faults, nextPiece }: FollowParts,
): void {
  const gone = new AbortController();
  const stream = createOutputStream(raw, followed, query.from === 'now');
  let timer: NodeJS.Timeout | undefined;
  const write = faults.guard('follow', () => {
    timer = undefined;
    stream.go();
  });
  const go = inPieces(nextPiece, write);
  followed.output.watch(() => {
    timer ??= setTimeout(go, settleMs).unref();
  }, gone.signal);
  const look = faults.guard('follow', () => {
    const checked = check();
    if ('refused' in checked) stream.end({ type: 'end', reason: checked.refused });
    else if (!seen.warden.within(checked.value).agent(followed.agent))
      stream.end({ type: 'end', reason: notThere(id) });
    else stream.comment();
  });
  const looking = setInterval(look, lookMs).unref();
  raw.on('drain', go);
  raw.once('close', () => {
    gone.abort();
    clearInterval(looking);
    clearTimeout(timer);
  });
  go();
  const end = faults.guard('follow', async (outcome: Outcome) => {
    await nextPiece();
    stream.end({ type: 'outcome', id, outcome: toOutcomeView(outcome) });
  });
  void followed.outcome.then(end);
}

interface OutputStream {
  readonly go: () => void;
  /** If nothing was written for a while. */
  readonly comment: () => void;
  readonly end: (event: FollowEvent) => void;
}

function createOutputStream(response: ServerResponse, { output }: Followed, fromNow: boolean): OutputStream {
  const chunks = { stdout: createTextChunks(), stderr: createTextChunks() };
  let place = fromNow ? output.total() : 0;
  let wroteAt = performance.now();
  let isFirst = true;
  const isOver = () => response.writableEnded || response.destroyed;

  function eventsBehind(): FollowEvent[] {
    const { skipped, parts } = output.behind(place);
    place = parts.at(-1)?.place ?? place + skipped;
    const gap: FollowEvent[] = skipped > 0 ? [...rest(), { type: 'gap', bytes: skipped }] : [];
    return [...gap, ...parts.flatMap(toEvents)];
  }

  function toEvents({ fd, bytes }: OutputPart): FollowEvent[] {
    const type = fd === 1 ? 'stdout' : 'stderr';
    const chunk = chunks[type].next(bytes);
    return chunk === undefined ? [] : [{ type, ...chunk }];
  }

  function rest(): FollowEvent[] {
    return (['stdout', 'stderr'] as const).flatMap((type) => {
      const chunk = chunks[type].rest();
      return chunk === undefined ? [] : [{ type, ...chunk }];
    });
  }

  function write(text: string): void {
    if (text === '') return;
    wroteAt = performance.now();
    response.write(text);
  }

  return {
    go: () => {
      // A reader that is behind gets the newest when it reads again.
      if (isOver() || response.writableNeedDrain) return;
      write(`${isFirst ? ': \n\n' : ''}${eventsBehind().map(frameOf).join('')}`);
      isFirst = false;
    },
    comment: () => {
      if (!isOver() && !response.writableNeedDrain && performance.now() - wroteAt > commentMs)
        write(': \n\n');
    },
    end: (event) => {
      if (isOver()) return;
      // Who may not read it has none of what has come since.
      const last = event.type === 'outcome' ? [...eventsBehind(), ...rest()] : [];
      response.end([...last, event].map(frameOf).join(''));
      const timer = setTimeout(() => response.destroy(), leaveMs).unref();
      response.once('close', () => clearTimeout(timer));
    },
  };
}

function frameOf(event: FollowEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
