import { crumbBytes } from '../crumb-budgets.ts';
import { type Frame, FrameError, FrameReader, FrameType } from '../wire/frames.ts';
import { DockerDemux } from './docker-demux.ts';
import { InitFault } from './init-fault.ts';
import { type InitProtocol, maxInitFrameBytes } from './init-protocol.ts';
import { joinFrames } from './join-frames.ts';

/** An init's own stderr is silent, but for its last words. */
const mostStderrBytes = 64 * 1024;
const maxDiagnosticBytes = 2048;
/** What is parsed and joined to other output costs so much less than what is passed on. */
const parsedPart = 1 / 16;
/** Pieces of an ordinary size are paid for by their bytes. */
const bytesOfPiece = 2048;

const carriers: ReadonlySet<number> = new Set([FrameType.stdout, FrameType.stderr, FrameType.carried]);

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
    const crumbs = frames.filter((frame) => carriedBy(frame) < crumbBytes).length;
    const pieces = taken.length + this.#demux.takeHeaders() - chunk.length / bytesOfPiece;
    return { frames, fault, cost: crumbs + Math.max(0, pieces) * parsedPart };
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

/** Bytes of the tool's input, output or connections that it is about. */
function carriedBy({ type, payload }: Frame): number {
  if (type === FrameType.credit) return payload.readUInt32BE(0);
  if (type === FrameType.room) return payload.readUInt32BE(1);
  return carriers.has(type) ? payload.length : 0;
}
