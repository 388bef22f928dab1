import type { Socket } from 'node:net';
import type { ClawrdenError } from '../../../src/errors.ts';
import { exitOf, type Outcome, outcomeOf } from '../../../src/outcome.ts';
import { escapeUnprintable } from '../../../src/text/render-text.ts';
import { encodeFrame, FrameType } from '../../../src/wire/frames.ts';

const denied = 1;
const lingerMs = 1000;

/**
 * The whole answer to a refused request, and the end of the connection. The exit frame is that of version 1; a
 * version-0 shim reads nothing after the ack.
 */
export function refuseShim(socket: Socket, refusal: ClawrdenError): void {
  socket.write(refusalBytes(refusal));
  closeGently(socket);
}

/** The same, but reads no further byte: input of a client that asks for too much must cost no work. */
export function turnAway(socket: Socket, refusal: ClawrdenError): void {
  socket.pause();
  socket.end(refusalBytes(refusal));
  destroyLater(socket);
}

function refusalBytes(refusal: ClawrdenError): Buffer {
  const line = encodeFrame(FrameType.stderr, endLine(refusal.code, refusal.message));
  const exit = encodeFrame(FrameType.exit, exitPayload(outcomeOf(refusal), 1));
  return Buffer.concat([Uint8Array.of(denied), line, exit]);
}

/**
 * What the shim writes to stderr for every end that the tool did not cause. One line of ASCII, whatever `text`
 * contains.
 */
export function endLine(reason: string, text: string): Buffer {
  return Buffer.from(`clawrden: ${reason}: ${escapeUnprintable(text)}\n`);
}

export function exitPayload(outcome: Outcome, version: number): Uint8Array {
  const { code, signal } = exitOf(outcome);
  if (version > 0) return Uint8Array.of(code, signal);
  return Uint8Array.of(signal === 0 ? code : 128 + signal);
}

/**
 * Once all is written, reads and drops for 1 s what the client still writes: a close with unread bytes would reset the
 * connection. Reads nothing before: a client may take its time for its output, and may write meanwhile.
 */
export function closeGently(socket: Socket): void {
  socket.pause();
  socket.end(() => {
    socket.resume();
    destroyLater(socket);
  });
}

function destroyLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}
