import type { ErrorCode } from '../../src/errors.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { namesText, programsOf } from './programs.ts';

const later = 'Try it again later.';
const mayHaveRun = 'If its state is stopped, it may have run: find out what it did before you try it again.';
const aPerson = 'A person has decided that; do not try it again by another way, and say what you need.';
const stopped = 'A person has to let you go on; nothing that you run starts before that.';
const byRule = 'help tells which commands of a program run.';
const elsewhere = 'It runs in your own container only: start it there, by its name.';

/** What a model can do about it, where the reason alone does not say so. */
const advice: Partial<Record<ErrorCode, string>> = {
  ...{ 'denied-by-rule': byRule, 'denied-by-default': byRule, 'denied-by-person': aPerson },
  ...{ 'needs-agent': elsewhere },
  ...{ 'agent-paused': stopped, 'agent-killed': stopped, 'breaker-open': stopped },
  'approval-expired': 'Nobody answered in time; execute it again if it is still needed.',
  'pending-limit': 'Too many of your questions wait for a person; wait for an answer to one of them.',
  ...{ 'rate-limit': later, 'queue-full': later, 'queue-timeout': later, 'no-host': later },
  ...{ 'host-lost': mayHaveRun, 'gateway-lost': mayHaveRun },
  ...{ 'start-timeout': later, 'audit-unwritable': later },
  'run-timeout': 'It had run for as long as its policy lets it; do less at once.',
  'id-duplicate': 'Execute it without an id of your own.',
};

/** What was refused and why, with the reason code, and what to do instead. */
export function failureText(code: ErrorCode, text: string, warden: Pick<WardenApi, 'tools'>): string {
  const hint = code === 'tool-unknown' ? namesText(programsOf(warden)) : advice[code];
  return `${text} (${code}).${hint === undefined ? '' : ` ${hint}`}`;
}
