/** Text with its blanks and empty lines: as many as are wanted, and never more. */
export class TextFlow {
  readonly #parts: string[] = [];
  #length = 0;
  /** At the end so far; a page begins with none. */
  #newlines = 2;
  /** `wanted`: before the next word. `none`: not even if it brings one. */
  #blank: 'wanted' | 'none' | '' = 'none';
  /** What a mark stands before begins in the same line. */
  #isMarked = false;

  get length(): number {
    return this.#length;
  }

  breakLine(count: number): void {
    if (this.#isMarked) return;
    if (this.#newlines < count) this.#put('\n'.repeat(count - this.#newlines));
    this.#newlines = Math.max(this.#newlines, count);
    this.#blank = 'none';
  }

  mark(text: string): void {
    this.#write(text);
    this.#blank = 'wanted';
    this.#isMarked = true;
  }

  /** Before a link's words, where no blank follows. */
  open(text: string): void {
    this.#write(text);
    this.#blank = 'none';
  }

  /** Behind them, where no blank stands before. */
  close(text: string): void {
    const after = this.#blank;
    this.#blank = '';
    this.#write(text);
    this.#blank = after;
  }

  prose(text: string): void {
    const flat = text.replace(/[\s\p{Cc}]+/gu, ' ');
    if (flat.startsWith(' ')) this.#wantBlank();
    this.#write(flat.trim());
    if (flat.endsWith(' ')) this.#wantBlank();
  }

  preformatted(text: string): void {
    const lines = text.replace(/[^\P{Cc}\n\t]/gu, '').split('\n');
    for (const [at, line] of lines.entries()) {
      if (at > 0) {
        this.#put('\n');
        this.#newlines += 1;
      }
      this.#write(line);
    }
  }

  /** All of it, with a newline at its end. */
  end(): string {
    const text = this.#parts.join('').trimEnd();
    return text === '' ? '' : `${text}\n`;
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }

  #write(text: string): void {
    if (text === '') return;
    this.#put(this.#blank === 'wanted' && this.#newlines === 0 ? ` ${text}` : text);
    this.#blank = '';
    this.#newlines = 0;
    this.#isMarked = false;
  }

  #wantBlank(): void {
    if (this.#blank === '') this.#blank = 'wanted';
  }
}
