import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { StreamLanguage } from '@codemirror/language';
import { openEditor } from '../editor/code-mirror';
import type { Opener } from '../editor/editor';
import { type SqlState, startOfSql, tokenOf } from './sql-tokens';

const SQL = StreamLanguage.define<SqlState>({ name: 'sql', startState: startOfSql, token: tokenOf });

/**
 * Opens editors of SQL.
 *
 * @param names Returns the names of tables and columns, as they are known when a person types.
 */
export const sqlOpener =
  (names: () => readonly string[]): Opener =>
  (host, options) => {
    const complete = (context: CompletionContext): CompletionResult | null => {
      const word = context.matchBefore(/\w+/);
      if (word === null && !context.explicit) return null;
      return { from: word?.from ?? context.pos, options: names().map((name) => ({ label: name })), validFor: /^\w*$/ };
    };
    return openEditor(host, options, [autocompletion({ override: [complete] }), SQL]);
  };
