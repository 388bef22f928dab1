import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';

export const slackAppToken = 'xapp-1-A0123456789-1234567890-0123456789abcdef';
export const slackBotToken = 'xoxb-1234567890-1234567890-AbCdEfGhIjKlMnOp';

export interface SlackMessage {
  readonly ts: string;
  readonly channel: string;
  text: string;
  blocks: readonly Readonly<Record<string, unknown>>[];
  edits: number;
  gone: boolean;
}

export interface SlackPress {
  readonly team?: string;
  readonly user: string;
  readonly message: SlackMessage;
  readonly value: string;
  /** The same envelope again, as to an app that does not acknowledge. */
  readonly times?: number;
}

/** The Web API and Socket Mode on loopback, as Slack speaks them. */
export interface SlackServer extends AsyncDisposable {
  readonly url: string;
  readonly channel: string;
  readonly team: string;
  readonly messages: SlackMessage[];
  readonly replies: { readonly user: string; readonly text: string }[];
  readonly calls: { readonly method: string; readonly at: number }[];
  /** How long after its sending each envelope was acknowledged, in milliseconds. */
  readonly acknowledged: Map<string, number>;
  /** Connections that are open now. */
  readonly open: () => number;
  readonly press: (press: SlackPress) => string;
  /** Somebody writes `/clawrden TEXT` in the channel. */
  readonly write: (user: string, text: string) => void;
  readonly refuse: (method: string, ...refusals: SlackRefusal[]) => void;
  /** Says so to all connections; Slack then closes them. */
  readonly disconnect: (reason: string) => void;
  /** Cuts all connections without a word. */
  readonly cut: () => void;
  hangs: boolean;
  /** Where it says that Socket Mode is, in place of its own. */
  link: string | undefined;
}

/** `retryAfter`: a 429 with so many seconds. */
export type SlackRefusal = { readonly error: string } | { readonly retryAfter: number };

export async function startSlack(): Promise<SlackServer> {
  const refusals = new Map<string, SlackRefusal[]>();
  const sockets = new Set<WebSocket>();
  const sent = new Map<string, number>();
  let count = 0;
  const server = createServer((request, response) => {
    void text(request).then((said) => {
      const method = (request.url ?? '').replace('/api/', '');
      fake.calls.push({ method, at: Date.now() });
      if (fake.hangs) return;
      const refusal = refusals.get(method)?.shift() ?? unauthorized(method, request);
      if (refusal === undefined) return answer(method, JSON.parse(said || '{}') as Body, response);
      if ('error' in refusal) return send(response, { ok: false, ...refusal });
      response.writeHead(429, { 'retry-after': String(refusal.retryAfter) }).end();
    });
  });
  const upgrades = new WebSocketServer({ server, path: '/link' });
  upgrades.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('message', (data: Buffer) => {
      const { envelope_id: id } = JSON.parse(data.toString()) as { envelope_id: string };
      fake.acknowledged.set(id, Date.now() - (sent.get(id) ?? 0));
    });
    socket.send(
      JSON.stringify({ type: 'hello', num_connections: sockets.size, connection_info: { app_id: 'A1' } }),
    );
  });

  function answer(method: string, body: Body, response: ServerResponse): void {
    const { channel = '', text: said = '', blocks = [], ts = '', user = '' } = body;
    if (method === 'apps.connections.open')
      return send(response, {
        ok: true,
        url: fake.link ?? `${fake.url.replace('http', 'ws').replace('/api', '')}/link?ticket=t1`,
      });
    if (method === 'auth.test')
      return send(response, { ok: true, team: 'T', team_id: fake.team, user_id: 'UBOT' });
    if (channel !== fake.channel) return send(response, { ok: false, error: 'channel_not_found' });
    if (method === 'conversations.info')
      return send(response, { ok: true, channel: { id: channel, is_member: true } });
    if (method === 'chat.postEphemeral') {
      fake.replies.push({ user, text: said });
      return send(response, { ok: true, message_ts: '1.2' });
    }
    const problem = problemOf(body);
    if (problem !== '') return send(response, { ok: false, error: problem });
    if (method === 'chat.postMessage') {
      count += 1;
      const message = {
        ts: `1700000000.${String(count).padStart(6, '0')}`,
        channel,
        text: said,
        blocks,
        edits: 0,
        gone: false,
      };
      fake.messages.push(message);
      return send(response, { ok: true, ts: message.ts, channel });
    }
    if (method !== 'chat.update') return send(response, { ok: false, error: 'unknown_method' });
    const message = fake.messages.find((each) => each.ts === ts);
    if (message === undefined || message.gone)
      return send(response, { ok: false, error: 'message_not_found' });
    Object.assign(message, { text: said, blocks, edits: message.edits + 1 });
    send(response, { ok: true, ts, channel });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: SlackServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    ...{
      channel: 'C0123456789',
      team: 'T0TEAM',
      messages: [],
      replies: [],
      calls: [],
      acknowledged: new Map(),
    },
    open: () => sockets.size,
    press: ({ team = 'T0TEAM', user, message, value, times = 1 }) => {
      count += 1;
      const id = `envelope-${count}`;
      const payload = {
        type: 'block_actions',
        team: { id: 'T0TEAM', domain: 'x' },
        user: { id: user, username: '<!channel> \u202Eadmin', team_id: team },
        container: { type: 'message', message_ts: message.ts, channel_id: message.channel },
        channel: { id: message.channel, name: '*ops*' },
        response_url: 'https://hooks.slack.com/actions/x',
        actions: [{ type: 'button', action_id: 'answer', block_id: 'b', value }],
      };
      const envelope = { envelope_id: id, type: 'interactive', accepts_response_payload: true, payload };
      sent.set(id, Date.now());
      // To one of the connections, as Slack does; a second time to another one.
      const all = [...sockets];
      for (let at = 0; at < times; at += 1) all[at % all.length]?.send(JSON.stringify(envelope));
      return id;
    },
    write: (user, said) => {
      count += 1;
      const payload = {
        ...{ command: '/clawrden', text: said, user_id: user, user_name: 'approve' },
        ...{ team_id: 'T0TEAM', channel_id: fake.channel, trigger_id: '1.2', token: 'x' },
      };
      const envelope = { envelope_id: `envelope-${count}`, type: 'slash_commands', payload };
      sent.set(envelope.envelope_id, Date.now());
      [...sockets].at(-1)?.send(JSON.stringify(envelope));
    },
    refuse: (method, ...more) => void refusals.set(method, [...(refusals.get(method) ?? []), ...more]),
    disconnect: (reason) => {
      for (const socket of sockets) {
        socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'h' } }));
        socket.close();
      }
    },
    cut: () => {
      for (const socket of sockets) socket.terminate();
    },
    hangs: false,
    link: undefined,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.terminate();
      upgrades.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

interface Body {
  readonly channel?: string;
  readonly text?: string;
  readonly ts?: string;
  readonly user?: string;
  readonly blocks?: SlackMessage['blocks'];
}

function unauthorized(method: string, { headers }: IncomingMessage): SlackRefusal | undefined {
  const wanted = method === 'apps.connections.open' ? slackAppToken : slackBotToken;
  return headers.authorization === `Bearer ${wanted}` ? undefined : { error: 'invalid_auth' };
}

/** The limits of the real service. */
function problemOf({ text: said = '', blocks = [] }: Body): string {
  if (said.length > 40_000) return 'msg_too_long';
  if (blocks.length > 50) return 'invalid_blocks';
  return JSON.stringify(blocks).length > 13_000 ? 'msg_blocks_too_long' : '';
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
