/** How many answers counted, and how many of these were a yes that needs more people. */
export interface Answered {
  readonly counted: number;
  readonly noted: number;
}

/** What became of answers to so many questions. */
export function answeredText(
  verdict: 'approve' | 'deny',
  questions: number,
  { counted, noted }: Answered,
): string {
  const share = `${counted} of ${questions}`;
  if (verdict === 'deny') return `${share} denied.`;
  if (noted === 0) return `${share} approved.`;
  return `${share} answered; ${noted} ${noted === 1 ? 'needs' : 'need'} the yes of more people.`;
}
