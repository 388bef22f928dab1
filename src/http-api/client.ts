import type { CallOptions } from './call-options.ts';
import { eventLines } from './event-lines.ts';
import type { DetachedExecution, ExecutionEvent, ExecutionRequest, FinishedExecution } from './executions.ts';
import type { FollowEvent } from './follow.ts';
import { jsonLines } from './json-lines.ts';
import { csrfHeader, paths } from './paths.ts';
import { pause } from './pause.ts';
import type { Problem } from './problem.ts';
import type { RecordingLine } from './recording.ts';
import type { AnswerOf, BodyIn, ParamsOf, QueryIn, RouteName, Routes } from './routes.ts';
import { type WatchedEvent, type WatchOptions, watchEvents } from './watch-events.ts';

export type {
  CallOptions,
  ExecutionEvent,
  ExecutionRequest,
  FinishedExecution,
  Problem,
  WatchedEvent,
  WatchOptions,
};

export interface ConnectOptions {
  /** `http://127.0.0.1:8080`, or the `http.url` of gateway.yaml. */
  readonly url: string;
  /** An API token. A page of the gateway leaves it out: its browser sends the cookie of its session. */
  readonly token?: string;
  /** Of the session, as `signIn` and `session` tell it: a page cannot change anything without it. */
  readonly csrfToken?: string;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch;
}

/** An answer that is no success. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly problem: Problem;
  /** When to come back; undefined if that would not help. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Problem, retryAfterMs: number | undefined) {
    super(problem.code === undefined ? problem.detail : `${problem.code}: ${problem.detail}`);
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

type Wish<R> = Given<'params', ParamsOf<R>> & Given<'query', QueryIn<R>> & Given<'body', BodyIn<R>>;
type Given<Key extends string, Value> = Value extends undefined ? unknown : { readonly [K in Key]: Value };

/** Lists, and the key of their rows. */
interface Lists {
  readonly executions: 'executions';
  readonly approvals: 'approvals';
  readonly grants: 'grants';
  readonly agents: 'agents';
  readonly hosts: 'hosts';
  readonly audit: 'audit';
  readonly tools: 'tools';
  readonly users: 'users';
  readonly tokens: 'tokens';
  readonly relays: 'relays';
}

type RowOf<Name extends keyof Lists> = AnswerOf<Routes[Name]>[Name &
  keyof AnswerOf<Routes[Name]>] extends readonly (infer Row)[]
  ? Row
  : never;

export interface Client {
  /** Any route, by its name in the API's description. Rejects with an ApiError. */
  readonly call: <Name extends RouteName>(
    name: Name,
    wish: Wish<Routes[Name]>,
    options?: CallOptions,
  ) => Promise<AnswerOf<Routes[Name]>>;
  /** Runs a command and waits for its end. Rejects with an ApiError if its tool was never started. */
  readonly run: (request: ExecutionRequest, options?: CallOptions) => Promise<FinishedExecution>;
  /** The same, told as it happens; the outcome comes last. Who stops reading cancels it. */
  readonly stream: (request: ExecutionRequest, options?: CallOptions) => AsyncGenerator<ExecutionEvent, void>;
  /** Starts a command that needs no connection. Rejects with an ApiError if it was refused. */
  readonly start: (request: ExecutionRequest, options?: CallOptions) => Promise<DetachedExecution>;
  /** What became of a command that was started so, once it has ended. Rejects as `run` does. */
  readonly result: (id: string, options?: CallOptions) => Promise<FinishedExecution>;
  /** What a running tool writes, as it writes it; its outcome comes last. */
  readonly follow: (
    id: string,
    query?: QueryIn<Routes['followExecution']>,
    options?: CallOptions,
  ) => AsyncGenerator<FollowEvent, void>;
  /** What was recorded of one that has ended: the head of an asciicast, then its events. */
  readonly recording: (id: string, options?: CallOptions) => AsyncGenerator<RecordingLine, void>;
  /**
   * What changes, as it changes, over as many connections as it takes. After a `reset` some was missed: what is there
   * has to be asked for again. Rejects with an ApiError if the gateway refuses it.
   */
  readonly watch: (
    query?: QueryIn<Routes['events']>,
    options?: WatchOptions,
  ) => AsyncGenerator<WatchedEvent, void>;
  /** Every row of a list, page by page. */
  readonly list: <Name extends keyof Lists>(
    name: Name,
    query?: QueryIn<Routes[Name]>,
    options?: CallOptions,
  ) => AsyncGenerator<RowOf<Name>, void>;
}

/** A client of the HTTP door, for Node 22 and later and for browsers. */
export function connect(options: ConnectOptions): Client {
  const call: Client['call'] = async (name, wish, more) => {
    const response = await ask(options, name, wish, { ...more, accept: 'application/json' });
    const isText = response.headers.get('content-type')?.startsWith('text/plain') === true;
    return (await (isText ? response.text() : response.json())) as never;
  };
  return {
    call,
    run: (body, more) => call('runExecution', { body }, more),
    stream: (body, more) => stream(options, body, more),
    start: (body, more) => start(options, body, more),
    result: (id, more) => result(call, id, more),
    follow: (id, query, more) => follow(options, id, query, more),
    recording: (id, more) => recording(options, id, more),
    watch: (query = {}, more) =>
      watchEvents((after, signal) => askForEvents(options, query, after, signal), isFinal, more),
    list: (name, query, more) => list(call, name, query, more) as AsyncGenerator<never, void>,
  };
}

async function start(
  options: ConnectOptions,
  body: ExecutionRequest,
  more: CallOptions = {},
): Promise<DetachedExecution> {
  const asked = { ...more, accept: 'application/json', headers: { prefer: 'respond-async' } };
  const response = await ask(options, 'runExecution', { body }, asked);
  return (await response.json()) as DetachedExecution;
}

const [soonMs, latestMs] = [200, 5000];

async function result(call: Client['call'], id: string, more: CallOptions = {}): Promise<FinishedExecution> {
  for (let waitMs = soonMs; ; waitMs = Math.min(latestMs, waitMs * 2)) {
    try {
      return await call('executionResult', { params: { id } }, more);
    } catch (error) {
      // It has not ended, or the gateway is busy.
      if (!(error instanceof ApiError) || error.retryAfterMs === undefined) throw error;
    }
    await pause(waitMs, more.signal);
  }
}

async function* stream(
  options: ConnectOptions,
  body: ExecutionRequest,
  more: CallOptions = {},
): AsyncGenerator<ExecutionEvent, void> {
  const leave = new AbortController();
  const signal = more.signal === undefined ? leave.signal : AbortSignal.any([more.signal, leave.signal]);
  try {
    const response = await ask(options, 'runExecution', { body }, { signal, accept: 'application/x-ndjson' });
    yield* jsonLines(response) as AsyncGenerator<ExecutionEvent, void>;
  } finally {
    leave.abort();
  }
}

async function* follow(
  options: ConnectOptions,
  id: string,
  query: object = {},
  { signal }: CallOptions = {},
): AsyncGenerator<FollowEvent, void> {
  const wish = { params: { id }, query };
  const asked = { accept: 'text/event-stream', ...(signal && { signal }) };
  for await (const { data } of eventLines(await ask(options, 'followExecution', wish, asked)))
    if (data !== '') yield JSON.parse(data) as FollowEvent;
}

async function* recording(
  options: ConnectOptions,
  id: string,
  more: CallOptions = {},
): AsyncGenerator<RecordingLine, void> {
  const leave = new AbortController();
  const signal = more.signal === undefined ? leave.signal : AbortSignal.any([more.signal, leave.signal]);
  try {
    const asked = { signal, accept: 'application/x-ndjson' };
    yield* jsonLines(await ask(options, 'recording', { params: { id } }, asked)) as AsyncGenerator<
      RecordingLine,
      void
    >;
  } finally {
    leave.abort();
  }
}

async function* list(
  call: Client['call'],
  name: keyof Lists,
  query: object = {},
  more: CallOptions = {},
): AsyncGenerator<unknown, void> {
  let cursor = '';
  do {
    const wish = { query: cursor === '' ? query : { ...query, cursor } };
    const page = (await call(name, wish, more)) as Record<string, unknown> & { nextCursor: string };
    yield* page[name] as unknown[];
    cursor = page.nextCursor;
  } while (cursor !== '');
}

function askForEvents(
  options: ConnectOptions,
  query: object,
  after: string,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const headers = after === '' ? {} : { 'last-event-id': after };
  return ask(
    options,
    'events',
    { query },
    { accept: 'text/event-stream', headers, ...(signal && { signal }) },
  );
}

/** To ask again would not help. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.problem.status < 500 && error.retryAfterMs === undefined;
}

interface Asked {
  readonly accept: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface AnyWish {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

async function ask(
  { url, token, csrfToken, fetch: send = fetch }: ConnectOptions,
  name: RouteName,
  wish: unknown,
  { accept, signal, headers }: CallOptions & Asked,
): Promise<Response> {
  const { params = {}, query = {}, body } = wish as AnyWish;
  const { method, path } = paths[name];
  const target = new URL(
    path.replaceAll(/\{(\w+)\}/g, (_, key: string) => inPath(params[key] ?? '')),
    url,
  );
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) target.searchParams.set(key, value);
  const response = await send(target, {
    method,
    headers: {
      accept,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(csrfToken !== undefined && method !== 'GET' && { [csrfHeader]: csrfToken }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    redirect: 'error',
  });
  if (!response.ok) throw await toError(response);
  return response;
}

/** The gateway takes no escapes in a path; a plus is itself there. */
function inPath(text: string): string {
  return encodeURIComponent(text).replaceAll('%2B', '+');
}

async function toError(response: Response): Promise<ApiError> {
  const wait = response.headers.get('retry-after');
  const text = await response.text();
  const isProblem = response.headers.get('content-type')?.includes('application/problem+json') === true;
  const detail = `the answer has the status ${response.status} and no problem`;
  const problem = isProblem
    ? (JSON.parse(text) as Problem)
    : { type: 'about:blank', title: response.statusText, status: response.status, detail };
  return new ApiError(problem, wait === null ? undefined : Number(wait) * 1000);
}
