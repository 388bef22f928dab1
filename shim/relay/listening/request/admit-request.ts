import type { Command, Identity } from '../../../../src/command.ts';
import { ClawrdenError } from '../../../../src/errors.ts';
import type { AgentBudget } from './agent-budget.ts';
import { identityRefusal, type Peer } from './identity-refusal.ts';
import { parseRequest } from './parse-request.ts';

export interface Admission {
  /** Absent: it asks for the agent's way out, or it could not be read. */
  readonly command: Command | undefined;
  readonly refusal: ClawrdenError | undefined;
}

/**
 * Reads a request and compares it with the kernel's facts about its sender. Rejects like `received` if the sender
 * broke the protocol.
 */
export async function admitRequest(
  received: Promise<Buffer>,
  peer: Peer,
  users: readonly Identity[],
  { oweValues: onRead, turn }: Pick<AgentBudget, 'oweValues' | 'turn'>,
): Promise<Admission> {
  try {
    const body = await received;
    await turn(body.length);
    const { command, claim } = parseRequest(body, onRead);
    return { command, refusal: identityRefusal(peer, claim, users) };
  } catch (error) {
    if (error instanceof ClawrdenError) return { command: undefined, refusal: error };
    throw error;
  }
}
