import type { Generated, Selectable } from 'kysely';

export interface HookDeliveryTableRow {
  /** In the order of adding. */
  row: Generated<number>;
  hook: string;
  id: string;
  event: string;
  /** Empty if it is no agent's, or of an earlier version. */
  agent: string;
  /** JSON. */
  body: string;
  bytes: number;
  made_at: number;
  /** When it is tried again. */
  next_at: number;
  tries: number;
}

export type HookDeliveryRow = Selectable<HookDeliveryTableRow>;

export interface ToldQuestionRow {
  approval: string;
  told_at: number;
  /** How often it was told again. */
  reminded: number;
  /** 0 or 1. */
  escalated: number;
}
