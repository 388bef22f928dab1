/** HUP INT QUIT USR1 USR2 TERM: before its tool has started each ends a command, as it would end a tool that just began. */
export const endingSignals: ReadonlySet<number> = new Set([1, 2, 3, 10, 12, 15]);
