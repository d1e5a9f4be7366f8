import type { Language } from '@service/client';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { OpenEditor } from './code-mirror';

// The code of the editor is fetched beside what its screen asks for. The editor itself reports when that fails.
import('./code-mirror').catch(() => undefined);

interface EditorProps {
  readonly code: string;
  readonly language: Language;
  readonly label: string;
  /** Counts how often the text was replaced by another one. What is typed meanwhile must not be taken for old. */
  readonly replacements: number;
  readonly onChange: (code: string) => void;
}

/** The editor of a program, whose code is loaded when it is shown first. Without it, a plain field takes its place. */
export function Editor({ code, language, label, replacements, onChange }: EditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<OpenEditor>(undefined);
  const latest = useRef({ code, onChange });
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    latest.current = { code, onChange };
  });
  useEffect(() => {
    editor.current?.setCode(latest.current.code);
  }, [replacements]);
  useEffect(() => {
    let isGone = false;
    import('./code-mirror').then(
      ({ openEditor }) => {
        if (isGone) return;
        editor.current = openEditor(host.current!, {
          code: latest.current.code,
          language,
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
  }, [language, label]);
  if (failed)
    return (
      <textarea
        aria-label={label}
        spellCheck={false}
        className="input h-72 font-mono text-sm sm:h-96"
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
      className="bg-surface border-line-strong focus-within:outline-accent-ink h-72 overflow-hidden rounded-md border focus-within:outline-2 focus-within:outline-offset-2 sm:h-96"
    />
  );
}
