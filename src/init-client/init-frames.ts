import { type Frame, FrameError, FrameReader } from '../wire/frames.ts';
import { DockerDemux } from './docker-demux.ts';
import { frameCost } from './frame-cost.ts';
import { InitFault } from './init-fault.ts';
import { type InitProtocol, maxInitFrameBytes } from './init-protocol.ts';
import { joinFrames } from './join-frames.ts';

/** An init's own stderr is silent, but for its last words. */
const mostStderrBytes = 64 * 1024;
const maxDiagnosticBytes = 2048;

/** What one chunk of an attached stream brought. */
export interface InitFrames {
  readonly frames: readonly Frame[];
  /** They follow by something that an init may not send. */
  readonly fault: InitFault | undefined;
  /** In small messages. */
  readonly cost: number;
}

/** The frames of an init in the engine's attached stream, joined where they can be, and held to the protocol. */
export class InitFrameReader {
  readonly #demux = new DockerDemux();
  readonly #reader = new FrameReader(maxInitFrameBytes);
  readonly #protocol: InitProtocol;
  #stderrBytes = 0;
  /** The beginning of what the init wrote to its own stderr. */
  diagnostic = '';

  constructor(protocol: InitProtocol) {
    this.#protocol = protocol;
  }

  push(chunk: Buffer): InitFrames {
    const taken: Frame[] = [];
    const fault = this.#take(chunk, taken);
    const frames = joinFrames(taken);
    const pieces = taken.length + this.#demux.takeHeaders().headers;
    return { frames, fault, cost: frameCost(frames, pieces, chunk.length) };
  }

  #take(chunk: Buffer, taken: Frame[]): InitFault | undefined {
    try {
      for (const { stream, bytes } of this.#demux.push(chunk)) {
        if (stream !== 1) this.#complain(bytes);
        else for (const frame of this.#reader.read(bytes)) taken.push(this.#allowed(frame));
      }
      return undefined;
    } catch (error) {
      if (error instanceof InitFault) return error;
      if (error instanceof FrameError)
        return new InitFault('broke', `the init broke its protocol: ${error.message}`);
      throw error;
    }
  }

  #allowed(frame: Frame): Frame {
    this.#protocol.take(frame);
    return frame;
  }

  #complain(bytes: Buffer): void {
    this.#stderrBytes += bytes.length;
    if (this.#stderrBytes > mostStderrBytes)
      throw new InitFault('broke', 'the init writes too much to its stderr');
    const room = maxDiagnosticBytes - this.diagnostic.length;
    if (room > 0) this.diagnostic += bytes.subarray(0, room).toString();
  }
}
