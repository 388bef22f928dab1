/** The engine's attach stream: `u8 stream, 3 zero bytes, u32 length, bytes`. The socket may split it anywhere. */
export interface DemuxedChunk {
  /** 1 stdout, 2 stderr. */
  readonly stream: number;
  /** A view into the chunk that was pushed. */
  readonly bytes: Buffer;
}

const headerBytes = 8;

/** Bytes in, views out; keeps only an unfinished header. */
export class DockerDemux {
  #header = Buffer.allocUnsafe(headerBytes);
  #headerFilled = 0;
  #stream = 0;
  #left = 0;
  #headers = 0;
  #empty = 0;

  /** How many headers came since the last call, and how many of them had nothing behind them. */
  takeHeaders(): { headers: number; empty: number } {
    const taken = { headers: this.#headers, empty: this.#empty };
    [this.#headers, this.#empty] = [0, 0];
    return taken;
  }

  push(chunk: Buffer): DemuxedChunk[] {
    const found: DemuxedChunk[] = [];
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#left === 0) {
        offset += this.#fillHeader(chunk, offset);
        continue;
      }
      const end = Math.min(offset + this.#left, chunk.length);
      found.push({ stream: this.#stream, bytes: chunk.subarray(offset, end) });
      this.#left -= end - offset;
      offset = end;
    }
    return found;
  }

  #fillHeader(chunk: Buffer, offset: number): number {
    const taken = Math.min(headerBytes - this.#headerFilled, chunk.length - offset);
    chunk.copy(this.#header, this.#headerFilled, offset, offset + taken);
    this.#headerFilled += taken;
    if (this.#headerFilled === headerBytes) {
      this.#stream = this.#header.readUInt8(0);
      this.#left = this.#header.readUInt32BE(4);
      this.#headerFilled = 0;
      this.#headers += 1;
      if (this.#left === 0) this.#empty += 1;
    }
    return taken;
  }
}
