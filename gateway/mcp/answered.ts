import type { CallToolResult } from '@modelcontextprotocol/server';
import { toClawrdenError } from '../../src/errors.ts';
import { TooSoon } from '../connections/call-budget.ts';
import { whyNot } from '../principals/call-rules.ts';
import { unwritten } from '../store/unwritten.ts';
import type { Answer } from './answer.ts';
import { failureText } from './failure-text.ts';
import type { ServerParts } from './server-parts.ts';
import { toResult } from './to-result.ts';

/** Answers a call that the table of roles gives to the caller; what fails becomes a sentence. */
export async function answered(
  call: string,
  { caller, warden, faults }: ServerParts,
  answer: () => Promise<Answer>,
): Promise<CallToolResult> {
  const refused = whyNot(caller, `POST /mcp ${call}`);
  if (refused !== undefined) return toResult({ text: [refused], isError: true });
  try {
    return toResult(await answer());
  } catch (error) {
    const { code, message } = toClawrdenError(unwritten(error));
    if (code === 'internal') faults.report(`MCP ${call}`, error);
    const wait = error instanceof TooSoon ? ` Come back in ${Math.ceil(error.waitMs / 1000)} s.` : '';
    return toResult({ text: [`${failureText(code, message, warden)}${wait}`], isError: true });
  }
}
