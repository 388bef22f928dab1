import type { ApprovalView } from '../../../../../src/http-api/approvals.ts';
import type { Client } from '../../../../../src/http-api/client.ts';
import type { ExecutionView } from '../../../../../src/http-api/history.ts';
import { pause } from '../../../../../src/http-api/pause.ts';

const unknown = 'it was answered, or its caller is gone';
/** The answer is in the record first, and with its execution a moment later. */
const [tries, apartMs] = [8, 250];

/** What became of a question that waits no more. */
export async function whoAnswered(
  client: Pick<Client, 'call'>,
  { executionId }: Pick<ApprovalView, 'executionId'>,
  me: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    for (let tried = 0; tried < tries; tried += 1) {
      const found = await client.call('execution', { params: { id: executionId } }, { signal });
      const text = endingOf(found, me);
      if (text !== undefined) return text;
      await pause(apartMs, signal);
    }
  } catch {
    // Told as unknown.
  }
  return unknown;
}

function endingOf({ approver, state, reason, text }: ExecutionView, me: string): string | undefined {
  const who = approver === me ? 'you' : approver;
  if (who !== '')
    return reason === 'denied-by-person' ? `denied by ${who}${whyOf(text)}` : `approved by ${who}`;
  if (state !== 'ended') return undefined;
  if (reason === 'approval-expired') return 'nobody answered in time';
  return reason === 'denied-by-person'
    ? text
    : `it ended before an answer${reason === '' ? '' : ` (${reason})`}`;
}

function whyOf(text: string): string {
  const why = /refused it: ([\s\S]*)$/.exec(text)?.[1];
  return why === undefined ? '' : `: ${why}`;
}
