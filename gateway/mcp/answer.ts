/** Texts of an answer. What a program wrote stands in one of its own, so that it cannot be taken for ours. */
export interface Answer {
  readonly text: readonly string[];
  readonly isError?: boolean;
  /** In place of the texts, for a client that asks for the end by itself. */
  readonly task?: Task;
}

/** An execution as the tasks extension tells it; its id is the execution's, and nothing of it is kept elsewhere. */
export interface Task {
  readonly taskId: string;
  readonly status: 'working' | 'completed' | 'cancelled';
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** From its creation; null while it goes on. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}
