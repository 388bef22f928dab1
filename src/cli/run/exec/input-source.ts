export interface InputSource {
  /** Allows so many more bytes; nothing is read before the first call. */
  readonly grant: (bytes: number) => void;
  /** The tool reads no more. */
  readonly close: () => void;
}

/** This process's stdin, read only as far as credit allows (plus what Node reads ahead). */
export function openSource(send: (bytes: Uint8Array) => void, end: () => void): InputSource {
  const { stdin } = process;
  let credit = 0;
  let open = false;

  function pump(): void {
    while (credit > 0 && stdin.readableLength > 0) {
      const bytes = stdin.read(Math.min(credit, stdin.readableLength)) as Buffer | null;
      if (bytes === null) return;
      credit -= bytes.length;
      send(bytes);
    }
    // Only a reader that asks for more sees the end.
    if (stdin.readableLength === 0) stdin.read(0);
  }

  return {
    grant: (bytes) => {
      credit += bytes;
      if (!open) {
        open = true;
        stdin.on('readable', pump);
        stdin.on('end', end);
        stdin.on('error', end);
      }
      pump();
    },
    close: () => {
      open = true;
      credit = 0;
      stdin.destroy();
    },
  };
}
