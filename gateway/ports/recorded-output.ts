/** What is kept of one stream: all of it where nothing was dropped between its two parts. */
export interface Excerpt {
  readonly head: Uint8Array;
  readonly dropped: number;
  readonly tail: Uint8Array;
}

/** Of both streams of one execution. */
export interface RecordedOutput {
  readonly stdout: Excerpt;
  readonly stderr: Excerpt;
}
