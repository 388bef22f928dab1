/** What a command used, with all that it started: as the kernel of its host counted it. */
export interface Usage {
  readonly userMs: number;
  readonly systemMs: number;
  /** The most that one of its processes had in memory at once. */
  readonly maxResidentKib: number;
}
