import type { ReactNode, TextareaHTMLAttributes } from 'react';
import { type Labelled, Row } from './form';

type AreaProps = Labelled & TextareaHTMLAttributes<HTMLTextAreaElement> & { readonly mono?: boolean };

/** A field of several lines with its label, its hint and what is wrong with it. */
export function Area({ label, hint, mono = false, ...area }: AreaProps): ReactNode {
  return (
    <Row label={label} name={area.name} hint={hint}>
      {(facts) => (
        <textarea
          autoComplete="off"
          spellCheck={!mono}
          {...area}
          {...facts}
          className={`input resize-y ${mono ? 'font-mono text-sm' : ''} ${area.className ?? ''}`}
        />
      )}
    </Row>
  );
}
