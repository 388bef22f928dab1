import { X509Certificate } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeCertificateRequest } from '../../src/pki/certificate-request.ts';
import { enrolment } from './enrolment.fixture.ts';

const dayMs = 86_400_000;
const { request } = await makeCertificateRequest();

test.each([
  ['relay', 70, 90],
  ['person', 260, 365],
] as const)(
  'A-604 P26: what a %s renews while the clock is %i days ahead counts once the clock is right, and in time the next one is due',
  async (kind, daysAhead, life) => {
    const gateway = await enrolment();
    gateway.known.set('ann', { name: 'ann', role: 'admin', scope: {}, until: undefined, by: '', since: 0 });
    const peer = { kind, name: kind === 'relay' ? 'host-7' : 'ann' };
    const now = Date.now();
    const check = () => ({ value: { ...peer, role: 'admin', scope: {} } as const });
    const renewed = async (since: number) => {
      const answer = await gateway.renew(peer, request, { since, check });
      if ('refused' in answer) throw new Error(answer.refused);
      return new X509Certificate(answer.value.certificate);
    };
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: now + daysAhead * dayMs });
    const first = await renewed(now);
    expect(first.validFromDate.getTime()).toBeLessThanOrEqual(now);
    expect(first.validToDate.getTime()).toBeGreaterThan(Date.now() + (life - 1) * dayMs);
    const old = await renewed(0);
    expect(old.validFromDate.getTime()).toBeGreaterThan(now + (daysAhead - life - 1) * dayMs);
  },
);
