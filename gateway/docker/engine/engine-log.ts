/** The part of a logger that this folder uses: a pino logger is one. */
export interface EngineLog {
  readonly warn: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}
