import type { Execution } from './execution.ts';

/** The executions that have not ended, by caller and id. An id is claimed as long as any of them has it. */
export interface OpenExecutions {
  readonly enter: (execution: Execution) => void;
  readonly leave: (execution: Execution) => void;
  readonly of: (caller: string, id: string) => Execution | undefined;
  /** Whether any caller's has this id. */
  readonly hasId: (id: string) => boolean;
  readonly all: () => Execution[];
}

export function createOpenExecutions(): OpenExecutions {
  const open = new Map<string, Execution>();
  const ids = new Set<string>();
  return {
    enter: (execution) => {
      const { caller, id } = execution.record;
      open.set(keyOf(caller, id), execution);
      ids.add(id);
    },
    leave: ({ record: { caller, id } }) => {
      open.delete(keyOf(caller, id));
      ids.delete(id);
    },
    of: (caller, id) => open.get(keyOf(caller, id)),
    hasId: (id) => ids.has(id),
    all: () => [...open.values()],
  };
}

function keyOf(caller: string, id: string): string {
  return `${caller} ${id}`;
}
