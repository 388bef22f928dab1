/** The kept part of one stream: the whole stream if nothing was dropped between its two parts. */
export interface Excerpt {
  readonly head: Uint8Array;
  readonly dropped: number;
  readonly tail: Uint8Array;
}

/** Both streams of one execution. */
export interface RecordedOutput {
  readonly stdout: Excerpt;
  readonly stderr: Excerpt;
}
