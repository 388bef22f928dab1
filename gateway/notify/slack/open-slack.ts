import { z } from 'zod';
import { tellable } from '../../../src/chats/call-service.ts';
import { callSlack, type SlackAccess } from '../../../src/chats/slack-api.ts';
import type { SlackConfig } from '../../../src/config/notify-config.ts';
import { judgeNamed, type NamingServer } from '../../../src/egress/named-address.ts';
import type { ChatService, ConfiguredRoom, ServiceParts } from '../chat/chat-service.ts';
import { readOrder } from '../chat/read-order.ts';
import { createReplies, type Replies } from '../chat/replies.ts';
import { createTroubles, type Troubles } from '../troubles.ts';
import { backoff, startWork } from '../work-loop.ts';
import { escapeMarkup } from './slack-message.ts';
import { slackRoom } from './slack-room.ts';
import { newSocketPace, type SocketPace, serveSocket } from './socket.ts';

/** One app in all channels of gateway.yaml. It opens the connection itself: nothing has to reach the gateway. */
export function openSlack(
  { api, channels, private: mayBePrivate }: SlackConfig,
  tokens: { readonly app: string; readonly bot: string },
  parts: ServiceParts,
): ChatService {
  const [app, bot] = [
    { api, token: tokens.app },
    { api, token: tokens.bot },
  ];
  const troubles = createTroubles('slack', parts.log);
  const replies = createReplies((error) => parts.faults.report('slack', error));
  const rooms = channels.map((each) => ({ config: each, room: slackRoom(bot, each.channel) }));
  const linking: Linking = {
    ...parts,
    server: { url: api, private: mayBePrivate },
    app,
    bot,
    rooms,
    replies,
    troubles,
    pace: newSocketPace(),
    state: { tries: 0 },
  };
  const work = startWork('slack', (signal) => link(linking, signal), parts.faults);
  return {
    rooms,
    problems: troubles.problems,
    close: work.close,
  };
}

interface Linking extends ServiceParts {
  readonly server: NamingServer;
  readonly app: SlackAccess;
  readonly bot: SlackAccess;
  readonly rooms: readonly ConfiguredRoom<SlackConfig['channels'][number]>[];
  readonly replies: Replies;
  readonly troubles: Troubles;
  readonly pace: SocketPace;
  readonly state: { tries: number };
}

/** The connection before serves until then. */
const soonMs = 500;
/** One that is warned of sooner is not replaced so soon. */
const shortestMs = 10_000;

/** One connection, from its opening until another one is needed; resolves with how long to wait for that. */
async function link(linking: Linking, signal: AbortSignal): Promise<number> {
  const { app, pace, state, troubles } = linking;
  const opening = await callSlack(app, ['apps.connections.open', {}], z.object({ url: z.string() }), signal);
  if (signal.aborted) return 0;
  if ('why' in opening) return again(opening.why, opening.waitMs ?? 0, linking);
  const { url } = opening.value;
  const named = socketAt(url, linking.server);
  if ('why' in named) return again(`its address for Socket Mode: ${tellable(named.why, '')}`, 0, linking);
  const began = performance.now();
  const end = await serveSocket(url, {
    pace,
    mayBePrivate: named.mayBePrivate,
    opened: () => {
      state.tries = 0;
      troubles.worked();
    },
    received: (payload) => {
      hear(payload, linking);
      press(payload, linking, signal);
    },
    signal,
  });
  if (signal.aborted) return 0;
  // Slack warns after hours.
  const hasLasted = performance.now() - began > shortestMs;
  // The address has a ticket in it.
  return end.soon && hasLasted ? soonMs : again(tellable(end.why, url), 0, linking);
}

function again(why: string, waitMs: number, { state, troubles }: Linking): number {
  troubles.failed(why);
  state.tries += 1;
  return Math.max(backoff(state.tries - 1), waitMs);
}

function socketAt(
  url: string,
  server: NamingServer,
): { readonly mayBePrivate: boolean } | { readonly why: string } {
  if (!/^wss?:/i.test(url)) return { why: 'it is not wss://' };
  try {
    return { mayBePrivate: judgeNamed(url, server) };
  } catch (error) {
    return { why: (error as Error).message };
  }
}

const id = z.string().regex(/^[A-Z0-9]{1,32}$/);
const pressShape = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id, team_id: id }),
  container: z.object({ channel_id: id }),
  actions: z.array(z.object({ type: z.literal('button'), value: z.string().max(64) })).length(1),
});

/** `/clawrden pause coder it loops`: what stands behind the command's own name. */
const commandShape = z.object({
  command: z.string().startsWith('/'),
  text: z.string().max(4_000),
  user_id: id,
  team_id: id,
  channel_id: id,
});

function hear(payload: unknown, { rooms, orders, replies }: Linking): void {
  const said = commandShape.safeParse(payload).data;
  const room = rooms.find(({ config }) => config.channel === said?.channel_id)?.room;
  if (said === undefined || room === undefined) return;
  const { team_id: team, text } = said;
  const user = `${team}/${said.user_id}`;
  // No other program has this command: who writes other words behind it is told which may stand there.
  const words = readOrder(text.trim()) === undefined ? 'pause' : text.trim();
  replies.send(user, () => orders.take({ via: 'slack', user, text: words }, room));
}

function press(payload: unknown, { bot, rooms, answer, replies }: Linking, signal: AbortSignal): void {
  const pressed = pressShape.safeParse(payload).data;
  const channel = pressed?.container.channel_id ?? '';
  const named = rooms.filter(({ config }) => config.channel === channel);
  const chats = named.map(({ config }) => config.name);
  if (pressed === undefined || chats.length === 0) return;
  const { id: own, team_id: team } = pressed.user;
  const user = `${team}/${own}`;
  replies.send(user, async () => {
    const said = await answer({ via: 'slack', chats, user, data: pressed.actions[0]?.value ?? '' });
    const body = { channel, user: own, text: escapeMarkup(said), parse: 'none', link_names: false };
    await callSlack(bot, ['chat.postEphemeral', body], z.unknown(), signal);
  });
}
