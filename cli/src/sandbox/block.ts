import type { Language } from '@service/client';
import { JavaScriptLexer } from './javascript-lexer.js';
import type { Lexer } from './lexer.js';
import { PythonLexer } from './python-lexer.js';

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
