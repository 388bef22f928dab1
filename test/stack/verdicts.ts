import { expect } from 'vitest';
import type { Lab } from '../lab/lab.ts';
import { startsSince } from './engine-events.ts';
import { type Answer, plainRequest, type RawAgent } from './raw-agent.ts';
import type { AuditLine, Stack } from './start-stack.ts';

/** The expected results of the security cases, for bytes that an agent's process sends by hand. */
export interface Verdicts {
  /**
   * Nothing was started, the client was told so, one record says deny, and the next good request works within 1 s.
   */
  readonly refuses: (send: () => Promise<Answer>, code: string, record?: Partial<AuditLine>) => Promise<void>;
  /** The connection was closed within 5 s, nothing was started or recorded, and others are served. */
  readonly drops: (send: () => Promise<Answer>) => Promise<void>;
  readonly serves: () => Promise<void>;
}

const servedWithinMs = 1000;

/** The policy must let `true` pass through, and `good` must work for the raw agent. */
export function createVerdicts(lab: Lab, stack: Stack, raw: RawAgent): Verdicts {
  const serves = async () => {
    const { acks, ms } = await raw.request({ ...plainRequest, command: 'true' });
    expect({ acks, inTime: ms < servedWithinMs }).toEqual({ acks: [3], inTime: true });
  };
  const observe = async (send: () => Promise<Answer>) => {
    const since = Date.now();
    const before = (await stack.audit()).length;
    const answer = await send();
    await serves();
    expect(await startsSince(lab, since)).toEqual([]);
    const records = (await stack.audit()).slice(before).filter(({ type }) => type === 'decision');
    return { answer, denials: records.filter(({ decision }) => decision === 'deny') };
  };
  return {
    serves,
    refuses: async (send, code, record = {}) => {
      const { answer, denials } = await observe(send);
      expect(answer).toMatchObject({ acks: [1], stdout: '', exit: [1, 0], byServer: true });
      expect(answer.stderr).toMatch(new RegExp(`^clawrden: ${code}: [^\\n]+\\n$`));
      expect(denials).toEqual([expect.objectContaining({ code, ...record })]);
    },
    drops: async (send) => {
      const { answer, denials } = await observe(send);
      expect(answer).toMatchObject({ acks: [], byServer: true });
      expect(answer.ms).toBeLessThan(5000);
      expect(denials).toEqual([]);
    },
  };
}
