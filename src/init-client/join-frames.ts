import { type Frame, FrameType } from '../wire/frames.ts';

const maxJoinedBytes = 64 * 1024;

/**
 * Joins neighbouring frames of the same output, up to 64 KiB. If a tool writes a few bytes at a time, its frames come
 * faster than they can be passed on one by one.
 */
export function joinFrames(frames: readonly Frame[]): Frame[] {
  const joined: Frame[] = [];
  for (let from = 0; from < frames.length; ) {
    const to = endOfRun(frames, from);
    joined.push(joinRun(frames.slice(from, to)));
    from = to;
  }
  return joined;
}

/** Index after the last frame that joins the frame at `from`. */
function endOfRun(frames: readonly Frame[], from: number): number {
  const first = frames[from];
  if (first === undefined || !isOutput(first)) return from + 1;
  let bytes = first.payload.length;
  let to = from + 1;
  for (; frames[to]?.type === first.type; to += 1) {
    bytes += frames[to]?.payload.length ?? 0;
    if (bytes > maxJoinedBytes) break;
  }
  return to;
}

function joinRun(run: readonly Frame[]): Frame {
  const [first] = run;
  if (first !== undefined && run.length === 1) return first;
  return { type: first?.type ?? 0, payload: Buffer.concat(run.map(({ payload }) => payload)) };
}

function isOutput({ type }: Frame): boolean {
  return type === FrameType.stdout || type === FrameType.stderr;
}
