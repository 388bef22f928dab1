import type { Glob } from './glob.ts';

/** One item per argument; `**` stands for any number of them. */
export type ArgPattern = readonly (Glob | '**')[];
