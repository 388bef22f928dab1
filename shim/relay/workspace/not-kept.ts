/** What an agent's problem says of its workspace. */
export function notKept(problem: string): string {
  return `its workspace is not kept: ${problem}`;
}
