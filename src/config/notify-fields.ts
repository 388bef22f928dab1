import { z } from 'zod';
import { strictObject } from './check-shape.ts';
import { labelsField, nameField, parsedField } from './fields.ts';
import { isLoopback } from './loopback.ts';
import { type NotifyConfig, newsGroups } from './notify-config.ts';
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
}).prefault({});

export type NotifyFile = z.infer<typeof notifySchema>;

export function toNotify({ webhooks }: NotifyFile, inFolder: (path: string) => string): NotifyConfig {
  return { webhooks: webhooks.map((hook) => ({ ...hook, secret: secretIn(hook.secret, inFolder) })) };
}

/** What is sent has the plans of agents in it: it goes in plain text to no other machine. */
function parseHookUrl(text: string): string | undefined {
  if (text.length > 2048 || !URL.canParse(text)) return undefined;
  const { protocol, username, password, hostname, href, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return undefined;
  const isHere = protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, ''));
  return protocol === 'https:' || isHere ? href : undefined;
}
