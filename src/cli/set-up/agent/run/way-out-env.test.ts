import { expect, test } from 'vitest';
import { withWayOut } from './way-out-env.ts';

const wayOut = ['HTTP_PROXY=http://127.0.0.1:3128', 'JAVA_TOOL_OPTIONS=-Dours', 'MODEL_URL=u'];

test('variables of the way out replace others of their names, and Java has both', () => {
  expect(withWayOut(['A=1', 'MODEL_URL=x', 'MODEL_URLS=y', 'HTTP_PROXY'], [], wayOut)).toEqual([
    ...['A=1', 'MODEL_URLS=y'],
    ...wayOut,
  ]);
  const image = ['JAVA_TOOL_OPTIONS=-Dimage', 'MODEL_URL=x'];
  expect(withWayOut([], image, wayOut)[1]).toBe('JAVA_TOOL_OPTIONS=-Dimage -Dours');
  expect(withWayOut(['JAVA_TOOL_OPTIONS=-Dgiven'], image, wayOut)[1]).toBe(
    'JAVA_TOOL_OPTIONS=-Dgiven -Dours',
  );
  expect(withWayOut(['A=1', 'A=2'], image, [])).toEqual(['A=1', 'A=2']);
});
