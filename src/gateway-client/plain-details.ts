/** The one sentence that helps, without the text that grpc-js wraps around it. */
export function plainDetails(details: string): string {
  const inner = /Last error: (?:Error: )?(.*?)\. Resolution note:/.exec(details)?.[1] ?? details;
  return inner.replace(/^Getting metadata from plugin failed with error: (?:\d+ [A-Z_]+: )?/, '');
}
