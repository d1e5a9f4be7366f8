import type { Language } from '@service/client';
import { type ReactNode, useCallback } from 'react';
import { Editor, type EditorProps } from '../editor/editor';

// The code of the editor is fetched beside what its screen asks for. The editor itself reports when that fails.
import('./program-mirror').catch(() => undefined);

interface ProgramEditorProps extends Omit<EditorProps, 'height' | 'load' | 'handle'> {
  readonly language: Language;
}

/** The editor of a program. */
export function ProgramEditor({ language, ...props }: ProgramEditorProps): ReactNode {
  const load = useCallback(async () => (await import('./program-mirror')).openerFor(language), [language]);
  return <Editor {...props} height="h-72 sm:h-96" load={load} />;
}
