import { z } from 'zod';
import { readSlackTokens } from '../../../chats/chat-tokens.ts';
import { callSlack, type SlackAccess } from '../../../chats/slack-api.ts';
import type { SlackChannelConfig, SlackConfig } from '../../../config/notify-config.ts';
import type { SecretSource } from '../../../config/secret-source.ts';
import { checkKey } from './check-certificate.ts';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';

const check = 'slack';
const setUp = 'see docs/notify.md for the app and its two tokens';

/** Whether both tokens count, and the bot is in every channel. It sends nothing. */
export async function checkSlack(config: SlackConfig): Promise<Finding[]> {
  const { api, appToken, botToken, channels } = config;
  const held = [await checkFile('app-token', appToken), await checkFile('bot-token', botToken)].flat();
  let tokens: Awaited<ReturnType<typeof readSlackTokens>>;
  try {
    tokens = await readSlackTokens(config);
  } catch (error) {
    return [...held, bad(check, messageOf(error), setUp)];
  }
  const [bot, app] = [
    { api, token: tokens.bot },
    { api, token: tokens.app },
  ];
  const opened = await call(app, 'apps.connections.open', {}, z.object({ url: z.string() }));
  const answers =
    'why' in opened ? bad(`${check} app-token`, opened.why, setUp) : good(`${check} app-token`, 'it counts');
  const who = await call(bot, 'auth.test', {}, z.object({ team: z.string(), team_id: z.string() }));
  if ('why' in who) return [...held, answers, bad(check, who.why, setUp)];
  const found = await Promise.all(channels.map((channel) => checkChannel(channel, bot)));
  return [...held, answers, good(check, `${api} knows the bot, of the team ${who.value.team_id}`), ...found];
}

async function checkFile(what: string, source: SecretSource): Promise<Finding[]> {
  return 'file' in source ? [await checkKey(`${check} ${what}`, source.file)] : [];
}

const channelShape = z.object({ channel: z.object({ is_member: z.boolean().optional() }) });

async function checkChannel({ name, channel }: SlackChannelConfig, bot: SlackAccess): Promise<Finding> {
  const about = `${check} ${name}`;
  const found = await call(bot, 'conversations.info', { channel }, channelShape);
  if ('why' in found && found.code === 'missing_scope')
    return doubtful(
      about,
      `${channel} was not looked at: ${found.why}`,
      'give the bot that scope, if you want it checked',
    );
  if ('why' in found) return bad(about, found.why, 'invite the bot to the channel; see docs/notify.md');
  if (found.value.channel.is_member !== false) return good(about, `the bot is in the channel ${channel}`);
  return bad(about, `the bot is not in the channel ${channel}`, 'write /invite and its name there');
}

function call<Value>(access: SlackAccess, method: string, body: object, shape: z.ZodType<Value>) {
  return callSlack(access, [method, body], shape, new AbortController().signal);
}
