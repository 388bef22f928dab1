/** Literal pieces around each `*`, per alternative: `a*b|c` is `[["a","b"],["c"]]`. */
export type Glob = readonly (readonly string[])[];
