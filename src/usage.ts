/** What a command and its children used, as the kernel of its host counted it. */
export interface Usage {
  readonly userMs: number;
  readonly systemMs: number;
  /** The most memory that one of its processes had at once. */
  readonly maxResidentKib: number;
}
