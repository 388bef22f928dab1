import { ApiError } from '../../../../src/http-api/client.ts';

/** In one line, as the gateway says it. */
export function problemText(error: unknown): string {
  if (error instanceof ApiError) return error.problem.detail;
  return error instanceof TypeError ? 'the gateway does not answer' : (error as Error).message;
}
