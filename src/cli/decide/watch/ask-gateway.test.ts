import { expect, test } from 'vitest';
import type { GatewayClient } from '../../../gateway-client/connect-gateway.ts';
import { Approval } from '../../../gen/clawrden/v1/warden.ts';
import { askGateway } from './ask-gateway.ts';
import { emptyModel, withApprovals } from './watch-model.ts';

const approval = Approval.fromPartial({ id: 'a1', planHash: 'h', agent: 'coder', missing: 2 });
const other = Approval.fromPartial({ id: 'b2', agent: 'coder' });

test.each([
  ['one yes of two was given', true, 1, /^noted, 1 more must say yes coder: /, ['a1', 'b2']],
  ['the last yes was given', true, 0, /^approved coder: /, ['b2']],
  ['it was denied', false, 1, /^denied coder: /, ['b2']],
])('A-415: watch says what became of the answer: %s', async (_what, approve, missing, message, left) => {
  const client = { call: async () => ({ approval: { ...approval, missing } }) } as unknown as GatewayClient;
  const action = { type: 'verdict', approve, approval, reason: '' } as const;
  const change = await askGateway(client, 'warden.example:1', action);
  const model = withApprovals(emptyModel({ columns: 80, rows: 24 }), [approval, other]);
  const next = change(model);
  expect(next.message).toMatch(message);
  expect(next.approvals.map(({ id }) => id)).toEqual(left);
  if (left.includes('a1')) expect(next.approvals[0]?.missing).toBe(missing);
});
