/** A statement with all of its texts. */
const MAX_STATEMENT_BYTES = 16_777_216;
const MAX_PIECE = 65_536;

/** Where something begins in which a semicolon means nothing, or what ends a statement or nests in it. */
const NEXT = /;|'|"|--|\/\*|\(|\)|\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*)?\$|[A-Za-z_\x80-\xff][\w$\x80-\xff]*/g;
const NAME_PART = /[\w$\x80-\xff]/;
const LINE_BREAKS = /\n/g;
const BODY = /^create\s+(?:or\s+replace\s+)?(?:function|procedure)\b/i;
/** What `pg_dump` writes for `psql` only. */
const FOR_PSQL = /^\\(?:un)?restrict\b/;
/** Names and the tags of dollar quotes are shorter. */
const LOOK_AHEAD = 2_048;

export interface ReadStatement {
  readonly sql: Buffer;
  /** The line that it begins on, from 1. */
  readonly line: number;
}

/** What cannot be read as SQL. */
export class SqlUnreadable extends Error {
  override readonly name = 'SqlUnreadable';

  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

/**
 * Reads a stream of SQL statement by statement, and the data of `COPY … FROM stdin` between them, and never holds more
 * than one statement. A character of the text is one byte here: what has a meaning in SQL is ASCII.
 */
export class SqlReader {
  private readonly source: AsyncIterator<Buffer>;
  private text = '';
  private hasEnded = false;
  private lineOfText = 1;

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** The line that is read next. */
  get line(): number {
    return this.lineOfText;
  }

  /** Returns the next statement without its semicolon, or undefined at the end. @throws {SqlUnreadable} */
  async next(): Promise<ReadStatement | undefined> {
    for (;;) {
      await this.skipBlank();
      if (this.text === '') return undefined;
      if (this.text.startsWith('\\')) {
        await this.skipCommand();
        continue;
      }
      const line = this.lineOfText;
      const length = await this.lengthOfStatement();
      if (length > MAX_STATEMENT_BYTES) throw this.tooLong();
      const sql = this.take(length);
      if (this.text.startsWith(';')) this.take(1);
      if (sql !== '') return { sql: Buffer.from(sql, 'latin1'), line };
    }
  }

  /** Yields the data after a statement that asked for it, up to its end. @throws {SqlUnreadable} */
  async *copyData(): AsyncGenerator<Buffer> {
    // The data begins on the line after the statement.
    await this.fill((text) => text.includes('\n'));
    this.take(this.text.indexOf('\n') + 1);
    for (let atLineStart = true; ;) {
      await this.fill((text) => text.includes('\n') || text.length > MAX_PIECE);
      if (this.text === '') throw new SqlUnreadable('The data of COPY has no end.', this.lineOfText);
      if (atLineStart && /^\\\.\r?(?:\n|$)/.test(this.text)) {
        const end = this.text.indexOf('\n');
        this.take(end === -1 ? this.text.length : end + 1);
        return;
      }
      const length = atLineStart ? this.lengthOfLines() : this.lengthOfLine();
      const piece = this.take(length);
      atLineStart = piece.endsWith('\n');
      yield Buffer.from(piece, 'latin1');
    }
  }

  /** Counts the characters of the whole lines that are there, up to the line that ends the data. */
  private lengthOfLines(): number {
    const end = this.text.search(/\n\\\.\r?(?:\n|$)/);
    if (end !== -1) return end + 1;
    const last = this.text.lastIndexOf('\n');
    return last === -1 ? this.text.length : last + 1;
  }

  private lengthOfLine(): number {
    const end = this.text.indexOf('\n');
    return end === -1 ? this.text.length : end + 1;
  }

  private async skipBlank(): Promise<void> {
    for (;;) {
      await this.fill((text) => text.length >= 2);
      const blank = /^(?:\xef\xbb\xbf|[ \t\r\n\v\f])+/.exec(this.text);
      if (blank !== null) {
        this.take(blank[0].length);
        continue;
      }
      if (!this.text.startsWith('--') && !this.text.startsWith('/*')) return;
      this.take(await this.endOf(this.text.slice(0, 2), 0));
    }
  }

  private async skipCommand(): Promise<void> {
    await this.fill((text) => text.includes('\n'));
    const line = this.text.slice(0, this.lengthOfLine());
    if (!FOR_PSQL.test(line))
      throw new SqlUnreadable('Commands of psql are not supported. Write the data as plain SQL.', this.lineOfText);
    this.take(line.length);
  }

  private async lengthOfStatement(): Promise<number> {
    let parentheses = 0;
    // Blocks of functions whose body is SQL and no text hold statements.
    let blocks = 0;
    for (let at = 0; ;) {
      NEXT.lastIndex = at;
      const found = NEXT.exec(this.text);
      // What is at the end of the text may go on in the next bytes, so it is looked at again.
      const isCut = found === null || this.text.length - (found.index + found[0].length) < LOOK_AHEAD;
      if (isCut && (await this.more())) continue;
      if (found === null) return this.text.length;
      const [token] = found;
      at = found.index + token.length;
      if (token === ';') {
        if (parentheses <= 0 && blocks === 0) return found.index;
      } else if (token === '(') parentheses++;
      else if (token === ')') parentheses--;
      else if (!NAME_PART.test(token.charAt(0)) || token.startsWith('$')) {
        if (token.startsWith('$') && NAME_PART.test(this.text[found.index - 1] ?? ' ')) at = found.index + 1;
        else at = await this.endOf(token, found.index);
      } else if (parentheses <= 0) blocks += this.stepOf(token, blocks);
    }
  }

  private stepOf(word: string, blocks: number): number {
    switch (word.toLowerCase()) {
      case 'begin':
        return BODY.test(this.text) ? 1 : 0;
      case 'case':
        return blocks > 0 ? 1 : 0;
      case 'end':
        return blocks > 0 ? -1 : 0;
      default:
        return 0;
    }
  }

  /** Returns where the part ends that begins with `opening`. What does not end goes to the end of the stream. */
  private async endOf(opening: string, at: number): Promise<number> {
    switch (opening) {
      case '--':
        return this.after('\n', at);
      case '/*':
        return this.endOfComment(at);
      case "'":
        return /[eE]/.test(this.text[at - 1] ?? '') && !NAME_PART.test(this.text[at - 2] ?? ' ')
          ? this.endOfEscapeText(at)
          : this.after("'", at + 1);
      // A doubled quote ends a text and begins the next one, which is the same to us.
      case '"':
        return this.after('"', at + 1);
      default:
        return this.after(opening, at + opening.length);
    }
  }

  private async after(closing: string, from: number): Promise<number> {
    for (let start = from; ;) {
      const at = this.text.indexOf(closing, start);
      if (at !== -1) return at + closing.length;
      start = Math.max(from, this.text.length - closing.length + 1);
      if (!(await this.more())) return this.text.length;
    }
  }

  /** Comments of this kind contain others. */
  private async endOfComment(at: number): Promise<number> {
    let depth = 0;
    for (let index = at; ; index++) {
      while (index + 1 >= this.text.length) if (!(await this.more())) return this.text.length;
      const pair = this.text.slice(index, index + 2);
      if (pair === '/*') depth++;
      else if (pair === '*/') depth--;
      else continue;
      index++;
      if (depth === 0) return index + 1;
    }
  }

  private async endOfEscapeText(at: number): Promise<number> {
    for (let index = at + 1; ; index++) {
      while (index + 1 >= this.text.length) if (!(await this.more())) return this.text.length;
      if (this.text[index] === '\\') index++;
      else if (this.text[index] === "'") return index + 1;
    }
  }

  private take(length: number): string {
    const taken = this.text.slice(0, length);
    this.text = this.text.slice(length);
    this.lineOfText += taken.match(LINE_BREAKS)?.length ?? 0;
    return taken;
  }

  private async fill(isEnough: (text: string) => boolean): Promise<void> {
    while (!isEnough(this.text)) if (!(await this.more())) return;
  }

  private async more(): Promise<boolean> {
    if (this.hasEnded) return false;
    if (this.text.length > MAX_STATEMENT_BYTES) throw this.tooLong();
    // A long text is searched again after each read, so that as much as a quarter of it is read at once.
    const pieces: Buffer[] = [];
    for (let wanted = Math.max(1, this.text.length / 4); wanted > 0;) {
      const read = await this.source.next();
      if (read.done === true) {
        this.hasEnded = true;
        break;
      }
      pieces.push(read.value);
      wanted -= read.value.length;
    }
    this.text += Buffer.concat(pieces).toString('latin1');
    return pieces.length > 0;
  }

  private tooLong(): SqlUnreadable {
    return new SqlUnreadable('A statement has more than 16 MiB. Write large data with COPY.', this.lineOfText);
  }
}
