import type { Execute } from '../../gateway/execute.ts';
import type { Channel, FromCaller, ToCaller } from '../../gateway/ports/channel.ts';
import type { ClawrdenError } from '../../src/errors.ts';
import { failure, type Outcome } from '../../src/outcome.ts';

export const accepted = { type: 'accepted', planHash: 'x' } as const satisfies ToCaller;

export const pending = {
  type: 'pending',
  approvalId: 'a',
  planHash: 'x',
  expires: new Date(),
} as const satisfies ToCaller;

/** Ends when the caller is gone, like the gateway. */
export function untilGone({ gone }: Channel): Promise<Outcome> {
  return new Promise((resolve) => {
    const stop = () => {
      const { code, message } = gone.reason as ClawrdenError;
      resolve(failure(code, message));
    };
    if (gone.aborted) stop();
    else gone.addEventListener('abort', stop);
  });
}

/** Accepts, and collects what the caller sends until `enough`. */
export function collect(inputs: FromCaller[], enough: (input: FromCaller) => boolean, credit = 0): Execute {
  return (_caller, _request, channel) => {
    void channel.send(accepted);
    if (credit > 0) void channel.send({ type: 'credit', bytes: credit });
    return new Promise((resolve) =>
      channel.listen((input) => {
        inputs.push(input.type === 'stdin' ? { ...input, bytes: Buffer.from(input.bytes) } : input);
        if (enough(input)) resolve({ kind: 'exited', code: 0, signal: 0 });
      }),
    );
  };
}
