import type { Answer } from './answer.ts';

/** The same words for what is another's and for what never was. */
export function unknownId(id: string): Answer {
  const text = `Nothing is known of an execution ${JSON.stringify(id)} that you started here; results are kept for an hour.`;
  return { text: [text], isError: true };
}
