import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAnswerPace } from './answer-pace.ts';
import type { ChatRoom } from './chat-room.ts';

const roomOf = () => ({}) as ChatRoom;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('A-616 P20: who may stop agents gets a first answer, six more at once and one in ten seconds, and is told once of too many', () => {
  const [paceOf, room] = [createAnswerPace(), roomOf()];
  const ask = (times: number) => Array.from({ length: times }, () => paceOf('a', room, true));
  expect(ask(7)).toEqual(Array.from({ length: 7 }, () => 'answer'));
  expect(ask(20)).toEqual(['too-fast', ...Array.from({ length: 19 }, () => 'nothing')]);
  vi.advanceTimersByTime(10_000);
  expect(ask(2)).toEqual(['answer', 'nothing']);
});

test('A-616 A-629 P20: beside the first of each, all people in a chat get ten answers, and those in another chat theirs', () => {
  const [paceOf, room, other] = [createAnswerPace(), roomOf(), roomOf()];
  const answers = (where: ChatRoom, times: number) => {
    const people = Array.from({ length: 8 }, (_, at) => String(at));
    const told = people.flatMap((user) => Array.from({ length: times }, () => paceOf(user, where, true)));
    return told.filter((each) => each === 'answer').length;
  };
  expect(answers(room, 1)).toBe(8);
  expect(answers(room, 3)).toBe(10);
  expect(answers(other, 3)).toBe(10);
});

test('A-616 A-629 P20: who may not stop agents gets one answer in a minute', () => {
  const [paceOf, room] = [createAnswerPace(), roomOf()];
  const ask = () => [paceOf('a', room, false), paceOf('a', room, false)];
  expect(ask()).toEqual(['answer', 'nothing']);
  vi.advanceTimersByTime(59_000);
  expect(ask()).toEqual(['nothing', 'nothing']);
  vi.advanceTimersByTime(1000);
  expect(ask()).toEqual(['answer', 'nothing']);
});
