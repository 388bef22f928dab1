import { expect, test } from 'vitest';
import { ExecutionServiceService } from '../gen/clawrden/v1/execution.ts';
import { ListAgentsResponse, WardenServiceService } from '../gen/clawrden/v1/warden.ts';
import { boundedAnswers } from './bounded-answers.ts';

const agent = ListAgentsResponse.decode(Buffer.from([0x0a, 0])).agents[0]!;

test('the longest page is decoded, whatever its rows are', () => {
  const names = Array<string>((512 * 1024) / 2 - 16).fill('');
  const page: ListAgentsResponse = { agents: [{ ...agent, tools: names }], nextPageToken: '' };
  const bytes = Buffer.from(ListAgentsResponse.encode(page).finish());
  expect(bytes.length).toBeGreaterThan(512 * 1024 - 64);
  const { agents } = boundedAnswers(WardenServiceService.listAgents)(bytes);
  expect(agents[0]?.tools.length).toBe(names.length);
});

test('A-421: an answer of more values than one of a gateway has is not decoded', () => {
  const values = (count: number) => Buffer.alloc(2 * count, Buffer.from([0x7a, 0]));
  const list = boundedAnswers(WardenServiceService.listAgents);
  expect(() => list(values(300_000))).toThrow('a message of more than 262144 values');
  const execute = boundedAnswers(ExecutionServiceService.execute);
  expect(() => execute(values(65))).toThrow('a message of more than 64 values');
});
