import { Brackets } from './brackets.js';
import type { Lexer } from './lexer.js';

/** What is open beside brackets, from the outermost to the innermost. */
type Frame =
  | { readonly kind: 'text'; readonly quote: string }
  /** Code in the braces of a template. */
  | { readonly kind: 'value'; readonly brackets: Brackets }
  | { readonly kind: 'comment' };

const WORD = /[\p{ID_Start}\p{Nd}_$#@][\p{ID_Continue}$]*/uy;
const REGULAR_EXPRESSION = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/[a-z]*/y;
/** After them stands a value, so that a slash begins a regular expression. */
const BEFORE_VALUES = new Set(
  'await case delete do else in instanceof new of return throw typeof void yield'.split(' '),
);

/** JavaScript and TypeScript, as far as they say whether a statement is whole. */
export class JavaScriptLexer implements Lexer {
  readonly awaitsMore = false;
  private readonly brackets = new Brackets();
  private readonly frames: Frame[] = [];
  /** A text has no end in its line, which no more lines make right. */
  private isBroken = false;
  /** What was read last is a value, so that a slash divides it. */
  private isAfterValue = false;

  get isOpen(): boolean {
    return !this.isWrong && (this.frames.length > 0 || this.brackets.areOpen);
  }

  private get isWrong(): boolean {
    return this.isBroken || this.brackets.isWrong;
  }

  read(line: string): void {
    for (let at = 0; at < line.length && !this.isWrong;) at = this.step(line, at);
    const frame = this.frames.at(-1);
    if (frame?.kind === 'text' && frame.quote !== '`' && !endsWithEscape(line)) this.isBroken = true;
  }

  /** Reads the next part of a line, and returns where the line goes on. */
  private step(line: string, at: number): number {
    const frame = this.frames.at(-1);
    if (frame?.kind === 'text') return this.text(line, at, frame.quote);
    if (frame?.kind === 'comment') {
      const end = line.indexOf('*/', at);
      if (end >= 0) this.frames.pop();
      return end < 0 ? line.length : end + 2;
    }
    return this.code(line, at);
  }

  private text(line: string, at: number, quote: string): number {
    const sign = line[at]!;
    if (sign === '\\') return at + 2;
    if (sign === quote) {
      this.frames.pop();
      this.isAfterValue = true;
    } else if (quote === '`' && line.startsWith('${', at)) {
      this.frames.push({ kind: 'value', brackets: new Brackets() });
      this.isAfterValue = false;
      return at + 2;
    }
    return at + 1;
  }

  private code(line: string, at: number): number {
    const sign = line[at]!;
    if (line.startsWith('//', at)) return line.length;
    if (line.startsWith('/*', at)) {
      this.frames.push({ kind: 'comment' });
      return at + 2;
    }
    const word = matchAt(WORD, line, at);
    if (word !== undefined) {
      this.isAfterValue = !BEFORE_VALUES.has(word);
      return at + word.length;
    }
    const expression = sign === '/' && !this.isAfterValue ? matchAt(REGULAR_EXPRESSION, line, at) : undefined;
    if (expression !== undefined) {
      this.isAfterValue = true;
      return at + expression.length;
    }
    // They stand on either side of a value.
    if (line.startsWith('++', at) || line.startsWith('--', at)) return at + 2;
    if (sign.trim() !== '') this.sign(sign);
    return at + 1;
  }

  private sign(sign: string): void {
    const frame = this.frames.at(-1);
    this.isAfterValue = sign === ')' || sign === ']' || sign === '}';
    if (sign === '"' || sign === "'" || sign === '`') this.frames.push({ kind: 'text', quote: sign });
    else if (frame?.kind !== 'value') this.brackets.take(sign);
    else if (sign === '}' && !frame.brackets.areOpen) this.frames.pop();
    else frame.brackets.take(sign);
    if (frame?.kind === 'value' && frame.brackets.isWrong) this.isBroken = true;
  }
}

function matchAt(pattern: RegExp, line: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0];
}

/** A backslash that is escaped itself escapes nothing. */
const endsWithEscape = (line: string): boolean => /(?<!\\)(?:\\\\)*\\$/.test(line);
