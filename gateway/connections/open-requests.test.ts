import { expect, test } from 'vitest';
import { createNextPiece } from '../../src/next-piece.ts';
import { bodyBytes, createOpenRequests, openRequestLimits } from './open-requests.ts';

test('A-453 P20: agents that send bodies without end take no place of people and programs, and are not held up by these', () => {
  const chunked = { headers: { 'transfer-encoding': 'chunked' } };
  const full = 'there are too many bytes of bodies open';
  const takeAll = (kind: string) => {
    const { enter } = createOpenRequests(createNextPiece());
    const leave: (() => void)[] = [];
    const { bytes, bytesInAll } = openRequestLimits;
    for (let agent = 0; agent < bytesInAll / bytes; agent += 1)
      for (let each = 0; each < bytes / bodyBytes; each += 1) leave.push(enter(`${kind}:${agent}`, chunked));
    return { enter, leave };
  };
  const byAgents = takeAll('agent');
  const one = byAgents.enter('agent:more', chunked);
  expect(() => byAgents.enter('agent:more', chunked)).toThrow(full);
  one();
  for (const name of ['person:alice', 'program:ci']) byAgents.enter(name, chunked)();
  for (const leave of byAgents.leave) leave();
  byAgents.enter('agent:more', chunked)();
  const byPrograms = takeAll('program');
  byPrograms.enter('person:alice', chunked);
  expect(() => byPrograms.enter('person:alice', chunked)).toThrow(full);
  byPrograms.enter('agent:coder', chunked)();
});
