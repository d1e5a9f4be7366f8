import { Brackets } from './brackets.js';
import type { Lexer } from './lexer.js';

/** What is open beside brackets, from the outermost to the innermost. */
type Frame =
  | { readonly kind: 'text'; readonly quote: string; readonly isFormatted: boolean }
  /** Code in the braces of a formatted text. */
  | { readonly kind: 'value'; readonly brackets: Brackets }
  /** How such a value is written, which is text again, and ends with the value. */
  | { readonly kind: 'format' };

const TEXT = /([rbft]{0,2}|u)("""|'''|"|')/iuy;
const NAME = /[\p{ID_Start}_]\p{ID_Continue}*/uy;

/**
 * Python, as far as it says whether a statement is whole. Formatted texts are read as Python 3.12 does, which allows
 * all that earlier versions do.
 */
export class PythonLexer implements Lexer {
  private readonly brackets = new Brackets();
  private readonly frames: Frame[] = [];
  /** The last line ended with a backslash. */
  private isContinued = false;
  /** A text has no end in its line, which no more lines make right. */
  private isBroken = false;
  private statements = 0;
  /** How the last statement begins, and its last sign. */
  private begin = '';
  private end = '';

  get isOpen(): boolean {
    return !this.isWrong && (this.frames.length > 0 || this.brackets.areOpen);
  }

  get awaitsMore(): boolean {
    if (this.isWrong) return false;
    // The interpreter itself does the same: the body of a block ends with an empty line.
    const isInBody = this.statements > 1 && /^\s/.test(this.begin);
    return this.isContinued || this.end === ':' || this.begin.startsWith('@') || isInBody;
  }

  private get isWrong(): boolean {
    return this.isBroken || this.brackets.isWrong;
  }

  read(line: string): void {
    if (!this.isOpen && !this.isContinued && /^\s*[^\s#]/.test(line)) {
      this.begin = line;
      this.statements++;
    }
    this.isContinued = false;
    for (let at = 0; at < line.length && !this.isWrong;) at = this.isInText ? this.text(line, at) : this.code(line, at);
    this.endLine();
  }

  private endLine(): void {
    if (this.isInText && this.quote.length === 1 && !this.isContinued) this.isBroken = true;
  }

  private get isInText(): boolean {
    const kind = this.frames.at(-1)?.kind;
    return kind === 'text' || kind === 'format';
  }

  /** The quotes that end the innermost text. */
  private get quote(): string {
    return (this.frames.findLast(({ kind }) => kind === 'text') as Extract<Frame, { kind: 'text' }>).quote;
  }

  /** Reads the next part of code, and returns where the line goes on. */
  private code(line: string, at: number): number {
    const sign = line[at]!;
    if (sign === '#') return line.length;
    TEXT.lastIndex = at;
    const [opening, prefix, quote] = TEXT.exec(line) ?? [];
    if (opening !== undefined) {
      this.frames.push({ kind: 'text', quote: quote!, isFormatted: /[ft]/i.test(prefix!) });
      return at + opening.length;
    }
    NAME.lastIndex = at;
    const name = NAME.exec(line)?.[0];
    if (name === undefined) this.sign(sign, at === line.length - 1);
    if (sign.trim() !== '') this.end = sign;
    return at + (name ?? sign).length;
  }

  private sign(sign: string, isLast: boolean): void {
    const frame = this.frames.at(-1);
    if (sign === '\\') this.isContinued = isLast;
    else if (frame?.kind !== 'value') this.brackets.take(sign);
    else if (frame.brackets.areOpen || (sign !== '}' && sign !== ':')) frame.brackets.take(sign);
    else if (sign === '}') this.frames.pop();
    else this.frames.push({ kind: 'format' });
    if (frame?.kind === 'value' && frame.brackets.isWrong) this.isBroken = true;
  }

  /** Reads the next part of a text, and returns where the line goes on. */
  private text(line: string, at: number): number {
    const frame = this.frames.at(-1)!;
    const { quote } = this;
    const sign = line[at]!;
    if (sign === '\\') {
      this.isContinued = at === line.length - 1;
      return at + 2;
    }
    if (line.startsWith(quote, at)) {
      if (frame.kind === 'format') this.isBroken = true;
      this.frames.pop();
      this.end = quote;
      return at + quote.length;
    }
    if (frame.kind === 'text' && !frame.isFormatted) return at + 1;
    if (frame.kind === 'text' && line.startsWith('{{', at)) return at + 2;
    if (sign === '{') this.frames.push({ kind: 'value', brackets: new Brackets() });
    // It ends the format and its value.
    else if (sign === '}' && frame.kind === 'format') this.frames.splice(-2);
    return at + 1;
  }
}
