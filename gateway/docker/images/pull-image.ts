import type Docker from 'dockerode';
import { abortable } from '../../../src/abort.ts';
import { ClawrdenError } from '../../../src/errors.ts';

import { engineText, statusOf, toEngineError } from '../engine/engine-errors.ts';
import { jsonLines } from '../engine/json-lines.ts';
import { createPullProgress, type PullMessage } from './pull-progress.ts';

/** See `Engine.pullImage`. */
export async function pullImage(
  docker: Docker,
  host: string,
  reference: string,
  onProgress: (percent: number) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    signal.throwIfAborted();
    const stream = await abortable(docker.pull(reference, { abortSignal: signal }), signal);
    await abortable(follow(stream as AsyncIterable<Buffer>, onProgress), signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (statusOf(error) === undefined && !(error instanceof PullRefused)) throw toEngineError(error, host);
    const text = `host ${host}: pulling ${reference}: ${engineText(error)}; load the image into that engine`;
    throw new ClawrdenError('image-missing', text, { cause: error });
  }
}

/** Messages of the engine in the middle of a pull that it could begin. */
class PullRefused extends Error {}

async function follow(stream: AsyncIterable<Buffer>, onProgress: (percent: number) => void): Promise<void> {
  const progress = createPullProgress();
  for await (const line of jsonLines(stream)) {
    const message = line as PullMessage & { readonly error?: string };
    if (message.error !== undefined) throw new PullRefused(message.error);
    onProgress(progress(message));
  }
}
