import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChatSite, startChatSite } from './chat-site.ts';
import { botToken, startTelegram, type TelegramServer } from './telegram-server.ts';

/** Of Telegram; all but `nobody` are linked to the person of that name. */
export const users = { admin: 11, alice: 12, vera: 13, olga: 14, nobody: 99 };

export interface TelegramSite extends AsyncDisposable {
  readonly server: TelegramServer;
  readonly site: ChatSite;
}

/** A Telegram, and a gateway with a bot in one chat of it. */
export async function startTelegramSite(): Promise<TelegramSite> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startTelegram());
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-telegram-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'token');
  await writeFile(file, `${botToken}\n`, { mode: 0o600 });
  const chats = [{ name: 'ops', chat: server.chat }];
  const { nobody: _, ...linked } = users;
  const links = Object.fromEntries(Object.entries(linked).map(([name, id]) => [name, `telegram:${id}`]));
  const site = stack.use(
    await startChatSite({ telegram: { token: { file }, api: server.url, chats } }, links),
  );
  const started = stack.move();
  return { server, site, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
