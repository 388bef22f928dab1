import { randomUUID } from 'node:crypto';
import type { NotifyConfig, WebhookConfig } from '../../../config/notify-config.ts';
import { readSecret } from '../../../config/secret-field.ts';
import { postHook } from '../../../hooks/post-hook.ts';
import { asciiJson } from '../../../text/ascii-json.ts';
import { checkKey } from './check-certificate.ts';
import { checkSlack } from './check-slack.ts';
import { checkTelegram } from './check-telegram.ts';
import { bad, type Finding, good, messageOf } from './finding.ts';

/** Whether everybody whom gateway.yaml names can be told from here. */
export async function checkNotify({ webhooks, telegram, slack }: NotifyConfig): Promise<Finding[]> {
  const all = [
    ...webhooks.map(checkWebhook),
    ...(telegram === undefined ? [] : [checkTelegram(telegram)]),
    ...(slack === undefined ? [] : [checkSlack(slack)]),
  ];
  return (await Promise.all(all)).flat();
}

/** Sends a `ping`, signed as everything is. */
async function checkWebhook(hook: WebhookConfig): Promise<Finding[]> {
  const { name, url, private: mayBePrivate, secret: source } = hook;
  const check = `webhook ${name}`;
  const held = 'file' in source ? [await checkKey(`${check} secret`, source.file)] : [];
  let secret: string;
  try {
    secret = await readSecret(source, 'secret');
  } catch (error) {
    return [...held, bad(check, messageOf(error), 'give it to this user, too, or run doctor as the gateway')];
  }
  const [id, event] = [`ping/${randomUUID()}`, 'ping'];
  const body = asciiJson({ version: 1, id, event, at: new Date().toISOString() });
  const receiver = { url, secret, private: mayBePrivate };
  const answer = await postHook(receiver, { id, event, body }, new AbortController().signal);
  const result =
    'taken' in answer
      ? good(check, `${url} took a ping`)
      : bad(check, `${url}: ${answer.why}`, 'see docs/notify.md for what it has to answer');
  return [...held, result];
}
