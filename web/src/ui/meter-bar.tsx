import type { ReactNode } from 'react';

interface MeterBarProps {
  readonly label: string;
  readonly used: number;
  /** Null for no limit. */
  readonly limit: number | null;
  /** The words beside the bar, such as `3 of 25`. */
  readonly children: ReactNode;
}

/** How much of a limit is used. It warns above four fifths, in words beside the colour. */
export function MeterBar({ label, used, limit, children }: MeterBarProps): ReactNode {
  const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, used / limit);
  const colour = share >= 1 ? 'bg-bad' : share > 0.8 ? 'bg-warn' : 'bg-accent';
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">{label}</span>
        <span className="text-muted text-sm tabular-nums">
          {children}
          {limit !== null && share >= 1 && <span className="text-bad font-medium"> · Used up</span>}
          {share > 0.8 && share < 1 && <span className="text-warn font-medium"> · Nearly used up</span>}
        </span>
      </div>
      {limit !== null && (
        <div
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
          className="bg-sunken border-line h-2 overflow-hidden rounded-full border"
        >
          <div className={`h-full ${colour}`} style={{ width: `${share * 100}%` }} />
        </div>
      )}
    </div>
  );
}
