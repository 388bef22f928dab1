/** The result of one check. `fix` is empty if there is nothing to mend. */
export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'error';
  readonly text: string;
  readonly fix: string;
}

export function good(check: string, text: string): Finding {
  return { check, level: 'ok', text, fix: '' };
}

export function doubtful(check: string, text: string, fix: string): Finding {
  return { check, level: 'warning', text, fix };
}

export function bad(check: string, text: string, fix: string): Finding {
  return { check, level: 'error', text, fix };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
