import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const botToken = `123456789:${'Aa0_-'.repeat(7)}`;

export interface TelegramMessage {
  readonly id: number;
  readonly chat: number;
  text: string;
  entities: readonly Entity[];
  buttons: readonly { readonly text: string; readonly callback_data: string }[];
  edits: number;
  gone: boolean;
}

interface Entity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
}

interface Refusal {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: object;
}

export interface Press {
  readonly user: number;
  readonly message: TelegramMessage;
  readonly data: string;
  /** Sent again under the same number, as after a cut connection. */
  readonly times?: number;
}

/** The Bot API on loopback, as its own server speaks it: long polling, limits of texts and buttons, refusals. */
export interface TelegramServer extends AsyncDisposable {
  readonly url: string;
  readonly chat: number;
  readonly messages: TelegramMessage[];
  /** What was said to who pressed a button. */
  readonly replies: { readonly id: string; readonly text: string }[];
  readonly calls: { readonly method: string; readonly at: number }[];
  readonly press: (press: Press) => string;
  /** Somebody writes in a chat; `ageMs` before now. */
  readonly write: (user: number, text: string, ageMs?: number, chat?: number) => void;
  /** The next calls of this method are answered so. */
  readonly refuse: (method: string, ...refusals: Refusal[]) => void;
  /** Ends every connection, also those that wait. */
  readonly cut: () => void;
  /** It takes calls, and answers none. */
  hangs: boolean;
  /** Answers a poll at once, with nothing. */
  hasty: boolean;
}

interface Update {
  readonly update_id: number;
}

export async function startTelegram(port = 0): Promise<TelegramServer> {
  // A person's chat: a group is slower.
  const chat = 4242;
  const updates: Update[] = [];
  const refusals = new Map<string, Refusal[]>();
  let polling: { response: ServerResponse; offset: number; limit: number; timer: NodeJS.Timeout } | undefined;
  let [lastUpdate, lastPress] = [500, 0];

  const server = createServer((request, response) => {
    void text(request).then((said) => {
      const [, method = ''] = (request.url ?? '').split(`/bot${botToken}/`);
      fake.calls.push({ method, at: Date.now() });
      if (fake.hangs) return;
      const refusal =
        method === '' ? { error_code: 401, description: 'Unauthorized' } : refusals.get(method)?.shift();
      if (refusal !== undefined) return send(response, { ok: false, ...refusal }, refusal.error_code);
      answer(method, JSON.parse(said || '{}') as Body, response);
    });
  });

  function answer(method: string, body: Body, response: ServerResponse): void {
    if (method === 'getUpdates' && fake.hasty) return result(response, []);
    if (method === 'getUpdates') return poll(body, response);
    if (method === 'getMe') return result(response, { id: 1, is_bot: true, username: 'clawrden_bot' });
    if (method === 'getChat' && body.chat_id === chat) return result(response, { id: chat, type: 'group' });
    if (method === 'answerCallbackQuery') {
      const { callback_query_id: id = '', text: said = '' } = body;
      if (said.length > 200) return bad(response, 'MESSAGE_TOO_LONG');
      fake.replies.push({ id, text: said });
      return result(response, true);
    }
    const problem = problemOf(body);
    if (body.chat_id !== chat) return bad(response, 'chat not found');
    if (problem !== '') return bad(response, problem);
    if (method === 'sendMessage') {
      const message = { id: fake.messages.length + 1, chat, ...contentOf(body), edits: 0, gone: false };
      fake.messages.push(message);
      return result(response, { message_id: message.id, chat: { id: chat } });
    }
    if (method !== 'editMessageText') return bad(response, 'method not found');
    const message = fake.messages.find(({ id }) => id === body.message_id);
    if (message === undefined || message.gone) return bad(response, 'message to edit not found');
    const content = contentOf(body);
    const before = { text: message.text, entities: message.entities, buttons: message.buttons };
    if (JSON.stringify(before) === JSON.stringify(content)) return bad(response, 'message is not modified');
    Object.assign(message, content, { edits: message.edits + 1 });
    result(response, { message_id: message.id });
  }

  function poll({ offset = 0, timeout = 0, limit = 100 }: Body, response: ServerResponse): void {
    if (polling !== undefined) {
      const description = 'Conflict: terminated by other getUpdates request';
      send(polling.response, { ok: false, error_code: 409, description }, 409);
      clearTimeout(polling.timer);
    }
    const timer = setTimeout(flush, timeout * 1000, true).unref();
    polling = { response, offset, limit, timer };
    response.on('close', () => {
      if (polling?.response === response) polling = undefined;
    });
    flush(false);
  }

  /** What is confirmed by a later offset is not sent again. */
  function flush(isOver: boolean): void {
    if (polling === undefined) return;
    const { response, offset, limit, timer } = polling;
    const due = updates.filter(({ update_id: id }) => id >= offset);
    if (due.length === 0 && !isOver) return;
    clearTimeout(timer);
    polling = undefined;
    result(response, due.slice(0, limit));
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const fake: TelegramServer = {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, chat },
    ...{ messages: [], replies: [], calls: [], hangs: false, hasty: false },
    press: ({ user, message, data, times = 1 }) => {
      lastUpdate += 1;
      lastPress += 1;
      const query = {
        id: String(lastPress),
        from: { id: user, is_bot: false, first_name: 'approve\u202E<b>' },
        message: { message_id: message.id, chat: { id: message.chat, type: 'group', title: '*x*' } },
        chat_instance: '1',
        data,
      };
      for (let at = 0; at < times; at += 1)
        updates.push({ update_id: lastUpdate, callback_query: query } as Update);
      flush(false);
      return query.id;
    },
    write: (user, said, ageMs = 0, where = chat) => {
      lastUpdate += 1;
      const from = { id: user, is_bot: false, first_name: 'approve' };
      const date = Math.floor((Date.now() - ageMs) / 1000);
      const message = {
        message_id: 9000 + lastUpdate,
        from,
        chat: { id: where, type: 'group' },
        date,
        text: said,
      };
      updates.push({ update_id: lastUpdate, message } as Update);
      flush(false);
    },
    refuse: (method, ...more) => void refusals.set(method, [...(refusals.get(method) ?? []), ...more]),
    cut: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      clearTimeout(polling?.timer);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

interface Body {
  readonly offset?: number;
  readonly timeout?: number;
  readonly limit?: number;
  readonly chat_id?: number;
  readonly message_id?: number;
  readonly callback_query_id?: string;
  readonly text?: string;
  readonly parse_mode?: string;
  readonly entities?: readonly Entity[];
  readonly reply_markup?: { readonly inline_keyboard: readonly TelegramMessage['buttons'][] };
}

interface Content {
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly buttons: TelegramMessage['buttons'];
}

function contentOf(body: Body): Content {
  const { text: said = '', entities = [], reply_markup: markup } = body;
  return { text: said, entities, buttons: (markup?.inline_keyboard ?? []).flat() };
}

/** The limits of the real service. */
function problemOf(body: Body): string {
  const { text: said, entities, buttons } = contentOf(body);
  if (said === '') return 'message text is empty';
  if (said.length > 4096) return 'message is too long';
  if ('parse_mode' in body) return "can't parse entities";
  if (entities.some(({ offset, length }) => offset < 0 || length < 1 || offset + length > said.length))
    return 'ENTITY_BOUNDS_INVALID';
  const isLong = ({ callback_data: data }: Content['buttons'][number]) => Buffer.byteLength(data) > 64;
  return buttons.some(isLong) ? 'BUTTON_DATA_INVALID' : '';
}

function result(response: ServerResponse, value: unknown): void {
  send(response, { ok: true, result: value }, 200);
}

function bad(response: ServerResponse, description: string): void {
  send(response, { ok: false, error_code: 400, description: `Bad Request: ${description}` }, 400);
}

function send(response: ServerResponse, body: object, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
