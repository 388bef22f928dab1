import type { SecretSource } from './secret-source.ts';

/** What may be told. */
export const newsGroups = ['questions', 'agents', 'lockdown', 'hosts', 'policy', 'audit'] as const;

export type NewsGroup = (typeof newsGroups)[number];

/** Who is told, over any service. */
export interface TargetConfig {
  readonly name: string;
  /** What escalates to it, it is told besides. */
  readonly tells: readonly NewsGroup[];
  /** Only of agents that carry all of these labels; empty for all, and only then of what is about no agent. */
  readonly agents: Readonly<Record<string, string>>;
}

export interface WebhookConfig extends TargetConfig {
  readonly url: string;
  readonly secret: SecretSource;
  /** Addresses that are not public count, too. */
  readonly private: boolean;
}

/** One bot in all chats. */
export interface TelegramConfig {
  readonly token: SecretSource;
  /** The origin of the Bot API. */
  readonly api: string;
  readonly chats: readonly TelegramChatConfig[];
}

export interface TelegramChatConfig extends TargetConfig {
  /** A person's chat with the bot, or, below zero, a group. */
  readonly chat: number;
}

/** One app in all channels. */
export interface SlackConfig {
  /** Opens connections. */
  readonly appToken: SecretSource;
  /** Calls methods. */
  readonly botToken: SecretSource;
  readonly api: string;
  /** Where Slack says that Socket Mode is need not be public. */
  readonly private: boolean;
  readonly channels: readonly SlackChannelConfig[];
}

export interface SlackChannelConfig extends TargetConfig {
  /** Its id. */
  readonly channel: string;
}

export interface NotifyConfig {
  readonly webhooks: readonly WebhookConfig[];
  readonly telegram?: TelegramConfig;
  readonly slack?: SlackConfig;
}

interface Named {
  readonly name: string;
}

interface Targets {
  readonly webhooks: readonly Named[];
  readonly telegram?: { readonly chats: readonly Named[] } | undefined;
  readonly slack?: { readonly channels: readonly Named[] } | undefined;
}

/** The names of all who are told, in the order of the file. */
export function targetNames({ webhooks, telegram, slack }: Targets): string[] {
  return [...webhooks, ...(telegram?.chats ?? []), ...(slack?.channels ?? [])].map(({ name }) => name);
}
