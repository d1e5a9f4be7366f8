import { autocompletion } from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { python } from '@codemirror/lang-python';
import { indentOnInput } from '@codemirror/language';
import type { Language } from '@service/client';
import { openEditor } from '../editor/code-mirror';
import type { Opener } from '../editor/editor';

/** Opens editors of programs in a language. */
export const openerFor =
  (language: Language): Opener =>
  (host, options) =>
    openEditor(host, options, [
      indentOnInput(),
      autocompletion(),
      language === 'python' ? python() : javascript({ typescript: language === 'typescript' }),
    ]);
