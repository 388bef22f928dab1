import type { Logger } from 'pino';
import { onAbort } from '../../src/abort.ts';
import { readSlackTokens, readTelegramToken } from '../../src/chats/chat-tokens.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { type NotifyConfig, type TargetConfig, targetNames } from '../../src/config/notify-config.ts';
import { readSecret } from '../../src/config/secret-field.ts';
import type { Faults } from '../../src/faults.ts';
import type { Policy } from '../../src/policy/policy.ts';
import type { ApprovalStore } from '../approvals/approval-store.ts';
import { agentOf, groupOf, type News, type Notifier } from '../ports/notifier.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { createSees } from '../principals/sees.ts';
import type { Notices } from '../store/notices.ts';
import { createAnswerPress } from './chat/answer-press.ts';
import type { ChatService, ServiceParts } from './chat/chat-service.ts';
import { createHaltOrders, type HaltOrders } from './chat/halt-orders.ts';
import { openRoom } from './chat/open-room.ts';
import type { ChatPeople } from './chat/person-of.ts';
import { createQuestionNews } from './news/question-news.ts';
import { createStateNews } from './news/state-news.ts';
import { openWebhook } from './webhook/open-webhook.ts';

export interface NotifyParts {
  readonly warden: WardenApi;
  readonly approvals: Pick<ApprovalStore, 'find'>;
  readonly notices: Notices;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  /** Where people reach the HTTP door, as an origin; undefined if that is not known. */
  readonly page: string | undefined;
  readonly principals: ChatPeople;
  readonly faults: Faults;
  readonly log: Logger;
}

export interface OpenNotify {
  /** From now on everybody whom gateway.yaml names is told. */
  readonly begin: (parts: NotifyParts) => Promise<void>;
  readonly problems: () => string[];
  readonly close: () => Promise<void>;
}

const lookMs = 1_000;

/** Rejects with one line if a credential cannot be read. */
export async function openNotify(config: NotifyConfig, policy: () => Policy): Promise<OpenNotify> {
  const tokens = await tokensOf(config);
  const secrets = await Promise.all(
    config.webhooks.map(({ secret, name }) => readSecret(secret, `notify.webhooks ${name}: secret`)),
  );
  const closing = new AbortController();
  let notifiers: readonly Notifier[] = [];
  let services: readonly ChatService[] = [];
  let orders: HaltOrders | undefined;
  return {
    begin: async (parts) => {
      const link = linkTo(parts.page);
      const queue = parts.notices.hooks;
      await queue.keepOnly(config.webhooks.map(({ name }) => name));
      const hooks = config.webhooks.map((hook, at): Told => {
        const hooked = { config: hook, secret: secrets[at] ?? '', queue, link };
        return { config: hook, notifier: openWebhook({ ...hooked, ...parts }) };
      });
      const { chats: posts } = parts.notices;
      orders = createHaltOrders(parts);
      const answer = createAnswerPress({ ...parts, posts, orders });
      services = await openServices(config, tokens, { ...parts, answer, orders });
      const chats = services.flatMap(({ rooms }) => rooms);
      await posts.keepOnly(chats.map((chat) => chat.config.name));
      const rooms = chats.map((chat): Told => {
        const opened = { name: chat.config.name, room: chat.room, posts, link };
        return { config: chat.config, notifier: openRoom({ ...opened, ...parts }) };
      });
      const told = [...hooks, ...rooms];
      notifiers = told.map(({ notifier }) => notifier);
      if (told.length > 0) follow(told, parts, closing.signal);
    },
    problems: () => [
      ...unknownTargets(policy(), targetNames(config)),
      ...[...services, ...notifiers].flatMap((each) => each.problems()),
    ],
    close: async () => {
      closing.abort();
      orders?.close();
      await Promise.all([...services, ...notifiers].map((each) => each.close()));
    },
  };
}

interface Tokens {
  readonly telegram: string;
  readonly slack: { readonly app: string; readonly bot: string };
}

async function tokensOf({ telegram, slack }: NotifyConfig): Promise<Tokens> {
  return {
    telegram: telegram === undefined ? '' : await readTelegramToken(telegram),
    slack: slack === undefined ? { app: '', bot: '' } : await readSlackTokens(slack),
  };
}

/** A gateway that does not use a service does not load what speaks to it. */
async function openServices(
  { telegram, slack }: NotifyConfig,
  tokens: Tokens,
  parts: ServiceParts,
): Promise<ChatService[]> {
  const opened: ChatService[] = [];
  if (telegram !== undefined) {
    const { openTelegram } = await import('./telegram/open-telegram.ts');
    opened.push(openTelegram(telegram, tokens.telegram, parts));
  }
  if (slack !== undefined) {
    const { openSlack } = await import('./slack/open-slack.ts');
    opened.push(openSlack(slack, tokens.slack, parts));
  }
  return opened;
}

function unknownTargets(policy: Policy, names: readonly string[]): string[] {
  if (policy.version === 0) return [];
  return policy.rules.flatMap(({ name, consent }) => {
    const to = consent?.escalate?.to;
    if (to === undefined || names.includes(to)) return [];
    return [`the rule ${name} escalates to ${to}, which notify of gateway.yaml does not have`];
  });
}

interface Told {
  readonly config: TargetConfig;
  readonly notifier: Notifier;
}

function linkTo(page: string | undefined): (approval: string) => string {
  return (approval) => (page === undefined ? '' : `${page}/a/${approval}`);
}

/** Nothing that a command waits for waits for any of this. */
function follow(told: readonly Told[], parts: NotifyParts, signal: AbortSignal): void {
  const { warden, faults } = parts;
  const tellOne = async ({ config, notifier }: Told, news: News) => {
    if (isOf(news, notifier) ?? isFor(news, config, parts)) await notifier.tell(news);
  };
  const tell = async (news: News) => {
    for (const each of told) await tellOne(each, news);
  };
  const questions = createQuestionNews({
    ...parts,
    pending: warden.approvals,
    told: parts.notices.told,
    tell,
  });
  const ask = faults.guard('notify', questions);
  // Each for itself: who cannot be told now keeps nobody else waiting.
  const states = told.map((each) =>
    faults.guard(
      'notify',
      createStateNews(warden, (news) => tellOne(each, news)),
    ),
  );
  const look = () => {
    // A question whose news could not be kept is told now.
    ask();
    for (const state of states) state();
  };
  warden.watchApprovals(ask, signal);
  look();
  const timer = setInterval(look, lookMs).unref();
  onAbort(signal, () => clearInterval(timer));
}

/** What changes is shown wherever it was told, and told nowhere else; undefined if that does not say. */
function isOf({ event }: News, { shows }: Notifier): boolean | undefined {
  if (event === 'question-changed' || (shows && event === 'question-ended')) return shows;
  return undefined;
}

function isFor(news: News, { name, tells, agents: scope }: TargetConfig, { agents }: NotifyParts): boolean {
  const isNamed = 'to' in news && news.to === name;
  if (!isNamed && ('to' in news || !tells.includes(groupOf[news.event]))) return false;
  return createSees({ kind: 'person', name: '', scope }, agents).agent(agentOf(news));
}
