import { expect, test } from 'vitest';
import { run } from './command.ts';

test('a program that takes too long is named in one line with what to do next', async () => {
  await expect(run(['sleep', '600'], { timeout: 200, ifLate: 'try again' })).rejects.toThrow(
    /^sleep 600: took longer than 0.2 s and was ended: try again$/,
  );
});

test('a program that another kills was not late', async () => {
  await expect(run(['sh', '-c', 'kill -KILL $$'], { ifLate: 'try again' })).rejects.toThrow(
    /: killed by SIGKILL: $/,
  );
});
