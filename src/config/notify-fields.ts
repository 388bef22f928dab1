import { z } from 'zod';
import { strictObject } from './check-shape.ts';
import { labelsField, nameField, parsedField } from './fields.ts';
import { isLoopback } from './loopback.ts';
import { type NotifyConfig, newsGroups, type SlackConfig } from './notify-config.ts';
import { secretField, secretIn } from './secret-field.ts';

const targetsAtMost = 32;

const target = {
  name: nameField,
  tells: z
    .array(z.enum(newsGroups))
    .max(newsGroups.length)
    .default([...newsGroups]),
  agents: labelsField.default({}),
};

const hookUrlField = parsedField(
  parseHookUrl,
  'https://HOST/PATH, or http:// to this machine, without a user',
);

/** The service's own, or another one that speaks as it does. */
const apiField = (usual: string) =>
  parsedField(parseApiUrl, 'https://HOST, or http:// to this machine, without a user').default(usual);

const telegramSchema = strictObject({
  token: secretField,
  api: apiField('https://api.telegram.org'),
  chats: z
    .array(
      strictObject({ ...target, chat: z.int().refine((chat) => chat !== 0, 'must be the number of a chat') }),
    )
    .min(1)
    .max(targetsAtMost),
});

const slackSchema = strictObject({
  'app-token': secretField,
  'bot-token': secretField,
  api: apiField('https://slack.com/api'),
  private: z.boolean().default(false),
  channels: z
    .array(
      strictObject({
        ...target,
        channel: z.string().regex(/^[CGD][A-Z0-9]{5,20}$/, "must be a channel's id, like C0123456789"),
      }),
    )
    .min(1)
    .max(targetsAtMost),
});

export const notifySchema = strictObject({
  webhooks: z
    .array(
      strictObject({
        ...target,
        url: hookUrlField,
        secret: secretField,
        private: z.boolean().default(false),
      }),
    )
    .max(targetsAtMost)
    .default([]),
  telegram: telegramSchema.optional(),
  slack: slackSchema.optional(),
}).prefault({});

export type NotifyFile = z.infer<typeof notifySchema>;

export function toNotify(
  { webhooks, telegram, slack }: NotifyFile,
  inFolder: (path: string) => string,
): NotifyConfig {
  return {
    webhooks: webhooks.map((hook) => ({ ...hook, secret: secretIn(hook.secret, inFolder) })),
    ...(telegram && { telegram: { ...telegram, token: secretIn(telegram.token, inFolder) } }),
    ...(slack && { slack: toSlack(slack, inFolder) }),
  };
}

function toSlack(
  { 'app-token': appToken, 'bot-token': botToken, ...rest }: NonNullable<NotifyFile['slack']>,
  inFolder: (path: string) => string,
): SlackConfig {
  return { ...rest, appToken: secretIn(appToken, inFolder), botToken: secretIn(botToken, inFolder) };
}

/** What is sent has the plans of agents in it: it goes in plain text to no other machine. */
function parseHookUrl(text: string): string | undefined {
  if (text.length > 2048 || !URL.canParse(text)) return undefined;
  const { protocol, username, password, hostname, href, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return undefined;
  const isHere = protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, ''));
  return protocol === 'https:' || isHere ? href : undefined;
}

function parseApiUrl(text: string): string | undefined {
  const href = parseHookUrl(text);
  return href === undefined || new URL(href).search !== '' ? undefined : href.replace(/\/+$/, '');
}
