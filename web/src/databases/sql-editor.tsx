import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import { Editor, type EditorProps } from '../editor/editor';

// The code of the editor is fetched beside what its screen asks for. The editor itself reports when that fails.
import('./sql-mirror').catch(() => undefined);

interface SqlEditorProps extends Omit<EditorProps, 'label' | 'height' | 'load'> {
  /** Names of tables and columns, which are offered while typing. */
  readonly names: readonly string[];
}

/** The editor of queries. */
export function SqlEditor({ names, ...props }: SqlEditorProps): ReactNode {
  const latest = useRef(names);
  useEffect(() => {
    latest.current = names;
  });
  const load = useCallback(async () => (await import('./sql-mirror')).sqlOpener(() => latest.current), []);
  return <Editor {...props} label="SQL" height="h-48" load={load} />;
}
