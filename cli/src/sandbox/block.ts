import type { Language } from '@service/client';
import { JavaScriptLexer } from './javascript-lexer.js';
import { PythonLexer } from './python-lexer.js';

/** Reads code line by line, and knows after each line what is still open. */
export interface Lexer {
  /** Reads the next line, without its end. */
  read(line: string): void;
  /** A bracket, a text, or another thing that only more lines can close. An empty line does not. */
  readonly isOpen: boolean;
  /** More lines belong to it by custom, such as the body of a function in Python. An empty line ends that. */
  readonly awaitsMore: boolean;
}

/** Lines that are typed and run together. */
export class Block {
  private readonly lines: string[] = [];
  private readonly lexer: Lexer;

  constructor(language: Language) {
    this.lexer = language === 'python' ? new PythonLexer() : new JavaScriptLexer();
  }

  get code(): string {
    return this.lines.join('\n');
  }

  get isEmpty(): boolean {
    return this.lines.length === 0;
  }

  /** True when more lines belong to it. */
  get goesOn(): boolean {
    return this.lexer.isOpen || (this.lexer.awaitsMore && this.lines.at(-1)!.trim() !== '');
  }

  add(line: string): void {
    this.lines.push(line);
    this.lexer.read(line);
  }
}
