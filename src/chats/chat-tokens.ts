import { ConfigError } from '../config/config-error.ts';
import type { SlackConfig, TelegramConfig } from '../config/notify-config.ts';
import { readSecret } from '../config/secret-field.ts';
import type { SecretSource } from '../config/secret-source.ts';

/** It becomes a part of an address. */
const telegramForm = /^[0-9]{5,20}:[A-Za-z0-9_-]{20,100}$/;
/** Each becomes a header. */
const slackForms = { app: /^xapp-[A-Za-z0-9-]{10,400}$/, bot: /^xoxb-[A-Za-z0-9-]{10,400}$/ } as const;

/** Each rejects with one line that names the key, and never what was read. */
export function readTelegramToken({ token }: Pick<TelegramConfig, 'token'>): Promise<string> {
  return read(token, 'notify.telegram: token', telegramForm, 'the token of a bot, like 123456789:AA...');
}

export async function readSlackTokens({
  appToken,
  botToken,
}: Pick<SlackConfig, 'appToken' | 'botToken'>): Promise<{ readonly app: string; readonly bot: string }> {
  return {
    app: await read(
      appToken,
      'notify.slack: app-token',
      slackForms.app,
      "an app's token, which begins with xapp-",
    ),
    bot: await read(
      botToken,
      'notify.slack: bot-token',
      slackForms.bot,
      "a bot's token, which begins with xoxb-",
    ),
  };
}

async function read(source: SecretSource, at: string, form: RegExp, what: string): Promise<string> {
  const text = await readSecret(source, at);
  if (!form.test(text)) throw new ConfigError([`${at}: what is there is not ${what}`]);
  return text;
}
