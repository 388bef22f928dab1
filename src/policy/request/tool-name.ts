const maxLength = 255;

/** A plain file name that every system spells alike; any other text cannot be a tool of a policy. */
export function isToolName(text: string): boolean {
  if (text.length === 0 || text.length > maxLength || text.startsWith('-') || text.startsWith('.'))
    return false;
  for (let index = 0; index < text.length; index += 1) {
    if (!isPlain(text.charCodeAt(index))) return false;
  }
  return true;
}

function isPlain(code: number): boolean {
  const isDigit = code >= 0x30 && code <= 0x39;
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return isDigit || isLetter || '._+-'.includes(String.fromCharCode(code));
}
