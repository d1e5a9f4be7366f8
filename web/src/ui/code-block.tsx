import type { ReactNode } from 'react';
import { Copy } from './copy';

interface CodeBlockProps {
  readonly text: string;
  readonly label: string;
  /** Breaks long lines, where nothing may be out of view. */
  readonly wrap?: boolean;
}

/** Lines of code with a button that copies them. */
export function CodeBlock({ text, label, wrap = false }: CodeBlockProps): ReactNode {
  return (
    <div className="bg-sunken border-line flex items-start rounded-md border">
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        className={`min-w-0 flex-1 overflow-x-auto p-3 font-mono text-sm ${wrap ? 'break-words whitespace-pre-wrap' : 'whitespace-pre'}`}
      >
        {text}
      </pre>
      <span className="p-2">
        <Copy text={text} label={`Copy: ${label}`} />
      </span>
    </div>
  );
}
