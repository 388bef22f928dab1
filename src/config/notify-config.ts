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

export interface NotifyConfig {
  readonly webhooks: readonly WebhookConfig[];
}

/** The names of all who are told, in the order of the file. */
export function targetNames({ webhooks }: Pick<NotifyConfig, 'webhooks'>): string[] {
  return webhooks.map(({ name }) => name);
}
