import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { EditorOptions, OpenEditor } from './code-mirror';

export type Opener = (host: HTMLElement, options: EditorOptions) => OpenEditor;

export interface EditorProps {
  readonly code: string;
  readonly label: string;
  /** Counts how often the text was replaced by another one. What is typed meanwhile must not be taken for old. */
  readonly replacements: number;
  /** The classes of its height. */
  readonly height: string;
  /** Loads the code of the editor. Another function opens another editor in its place. */
  readonly load: () => Promise<Opener>;
  /** The open editor, for who acts on it from outside. */
  readonly handle?: RefObject<OpenEditor | undefined>;
  readonly onChange: (code: string) => void;
}

/** An editor whose code is loaded when it is shown first. Without it, a plain field takes its place. */
export function Editor({ code, label, replacements, height, load, handle, onChange }: EditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const own = useRef<OpenEditor>(undefined);
  const editor = handle ?? own;
  const latest = useRef({ code, onChange });
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    latest.current = { code, onChange };
  });
  useEffect(() => {
    editor.current?.setCode(latest.current.code);
  }, [editor, replacements]);
  useEffect(() => {
    let isGone = false;
    load().then(
      (open) => {
        if (isGone) return;
        editor.current = open(host.current!, {
          code: latest.current.code,
          label,
          onChange: (text) => {
            latest.current.onChange(text);
          },
        });
      },
      () => {
        setFailed(true);
      },
    );
    return () => {
      isGone = true;
      editor.current?.close();
      editor.current = undefined;
    };
  }, [editor, load, label]);
  if (failed)
    return (
      <textarea
        aria-label={label}
        spellCheck={false}
        className={`input font-mono text-sm ${height}`}
        value={code}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      />
    );
  return (
    <div
      ref={host}
      data-editor
      className={`bg-surface border-line-strong focus-within:outline-accent-ink overflow-hidden rounded-md border focus-within:outline-2 focus-within:outline-offset-2 ${height}`}
    />
  );
}
