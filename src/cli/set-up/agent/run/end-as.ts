import { reportError } from '../../../reach/report-error.ts';

/** Ends this process with what `work` resolves with; if it rejects, as docker does if nothing ran. */
export async function endAs(work: () => Promise<number>): Promise<never> {
  try {
    process.exit(await work());
  } catch (error) {
    reportError(error);
    process.exit(statusOfStart(error));
  }
}

/** Lower statuses are those of what runs in the container. */
function statusOfStart(error: unknown): number {
  const text = error instanceof Error ? error.message : '';
  if (!text.includes('the engine says: ')) return 125;
  if (/executable file not found|no such file or directory/.test(text)) return 127;
  return /permission denied|is a directory/.test(text) ? 126 : 125;
}
