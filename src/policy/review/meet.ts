/** Whether two conditions of rules can both match; `undefined` matches everything. */
export function meet<T>(some: ReadonlySet<T> | undefined, others: ReadonlySet<T> | undefined): boolean {
  return some === undefined || others === undefined || [...some].some((one) => others.has(one));
}
