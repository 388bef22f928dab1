import type { z } from 'zod';

/** One method of one path: who may call it is in the gateway's table of roles, under `METHOD PATH`. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  /** For people. */
  readonly does: string;
  /** Anybody may call it, without a token. */
  readonly open?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Headers that mean something to this route only. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Absent if it answers with events or lines only. */
  readonly answer?: z.ZodType;
  /** The media type of an answer that is a text and no JSON. */
  readonly text?: string;
  /** What is answered with 202, if the caller prefers `respond-async`. */
  readonly accepted?: z.ZodType;
  /** What each line of `application/x-ndjson` is; if there is an `answer`, too, the caller may ask for either. */
  readonly lines?: z.ZodType;
  /** What the data of each event of `text/event-stream` is. */
  readonly events?: z.ZodType;
}
