import type { ReactNode } from 'react';

type Tone = 'good' | 'bad' | 'warn' | 'quiet' | 'accent';

const LOOKS: Readonly<Record<Tone, string>> = {
  good: 'text-good bg-good-soft',
  bad: 'text-bad bg-bad-soft',
  warn: 'text-warn bg-warn-soft',
  quiet: 'text-muted bg-sunken',
  accent: 'text-accent-ink bg-accent-soft',
};

interface StateProps {
  readonly tone: Tone;
  readonly children: ReactNode;
  /** Something is under way. */
  readonly moving?: boolean;
}

/** A state is a word beside a colour, never a colour alone. */
export function State({ tone, children, moving = false }: StateProps): ReactNode {
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${LOOKS[tone]}`}
    >
      <span aria-hidden="true" className={`size-1.5 rounded-full bg-current ${moving ? 'pulse' : ''}`} />
      {children}
    </span>
  );
}
