/** Beginnings of the credentials of well-known services, and ours. */
const issued =
  /\b(?:gh[pousr]_|github_pat_|gl(?:pat|dt|rt|cbt)-|xox[abeprs]-|xapp-|sk-|rk_|sk_live_|sk_test_|npm_|pypi-|dckr_pat_|hvs\.|hf_|shpat_|clw_|AKIA|ASIA|AIza|ya29\.|SG\.|eyJ)[A-Za-z0-9._~+/=-]{10,}/g;
const key = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*/g;
/** `https://user:password@host`. */
const password = /(?<=\/\/[^\s/:@]{0,256}:)[^\s/@]{1,4096}(?=@)/g;
const bearer = /(?<=\b(?:Bearer|Basic|Token) )[^\s'",;]{6,}/gi;
const secretName = String.raw`(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|auth(?:orization)?|credentials?|cookie)`;
/** `--api-key=x`, `DB_PASSWORD=x`, `"token": "x"`, `X-Auth-Token: x`. */
const assigned = new RegExp(
  String.raw`(?<=(?:^|[^A-Za-z])[A-Za-z0-9_.-]{0,64}${secretName}[A-Za-z0-9_.-]{0,32}["']?(?:=|: ?)["']?)[^\s"'&,;]{1,}`,
  'gi',
);
/** An option whose value is the next word. */
const secretOption = new RegExp(String.raw`^--?[A-Za-z0-9_.-]{0,64}${secretName}[A-Za-z0-9_.-]{0,32}$`, 'i');
const long = /[A-Za-z0-9+/_=-]{32,}/g;
/** The hash of a commit or a file is no secret. */
const hash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** No form matches in less: `//:x@` is the shortest. A plan may have tens of thousands of such words. */
const shortest = 5;

export function maskText(text: string): string {
  if (text.length < shortest) return text;
  const known = [key, issued, password, bearer, assigned].reduce(
    (left, form) => left.replaceAll(form, mark),
    text,
  );
  return known.replaceAll(long, (run) => (isRandom(run) ? mark(run) : run));
}

/** The words of a command line; an option may say what the word behind it is. */
export function maskWords(words: readonly string[]): string[] {
  return words.map((word, at) => {
    const before = words[at - 1] ?? '';
    return secretOption.test(before) && !word.startsWith('-') ? mark(word) : maskText(word);
  });
}

function mark(text: string): string {
  return `[masked: ${text.length} characters]`;
}

/** Letters and digits in one long run, as no word and no step of a path has them. */
function isRandom(run: string): boolean {
  if (hash.test(run)) return false;
  const parts = run.split(/[/=+_-]/);
  return parts.some((part) => part.length >= 20 && /\d/.test(part) && /[A-Za-z]/.test(part));
}
