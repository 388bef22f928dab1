import type { ShimInput } from './shim-input.ts';

/**
 * Of the controls that say the same only the last: a kernel, too, makes one of equal signals that wait, and of sizes the
 * last one counts. What is passed on of a turn is so a handful, however many a client sends.
 */
export function lastOfEach(inputs: readonly ShimInput[]): ShimInput[] {
  const names = inputs.map(nameOf);
  const lastAt = new Map(names.map((name, at) => [name, at]));
  return inputs.filter((_, at) => names[at] === undefined || lastAt.get(names[at]) === at);
}

/** Undefined for what counts each time. */
function nameOf(input: ShimInput): string | undefined {
  switch (input.type) {
    case 'signal':
      return `signal ${input.signal}`;
    case 'closed':
      return `closed ${input.fd}`;
    case 'resize':
      return 'resize';
    default:
      return undefined;
  }
}
