import { type ReactNode, useId } from 'react';
import { Button } from '../ui/button';
import { Row } from '../ui/form';
import { clamped, localTime, type Span, stepOf } from './moments';

interface MomentFieldProps {
  readonly span: Span;
  readonly at: number;
  readonly onChange: (at: number) => void;
}

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const BACK = [
  ['5 minutes ago', 300_000],
  ['1 hour ago', 3_600_000],
  ['1 day ago', 86_400_000],
] as const;

/** Chooses a moment of the past: roughly with a slider, and exactly in a field. */
export function MomentField({ span, at, onChange }: MomentFieldProps): ReactNode {
  const marks = useId();
  const choose = (moment: number): void => {
    if (!Number.isNaN(moment)) onChange(clamped(moment, span));
  };
  return (
    <div className="grid gap-3">
      <div className="grid gap-1">
        <label htmlFor={marks} className="font-medium">
          Moment
        </label>
        <input
          id={marks}
          type="range"
          className="h-6 w-full accent-[var(--accent)]"
          min={span.from}
          max={span.until}
          step={stepOf(span)}
          value={at}
          aria-valuetext={TIME.format(new Date(at))}
          onChange={({ target }) => {
            choose(Number(target.value));
          }}
        />
        <div className="text-muted flex justify-between gap-4 text-xs">
          <time dateTime={new Date(span.from).toISOString()}>{TIME.format(new Date(span.from))}</time>
          <time dateTime={new Date(span.until).toISOString()} className="text-right">
            {TIME.format(new Date(span.until))}
          </time>
        </div>
      </div>
      <Row label="Exactly, as your clock has it" name="at">
        {(facts) => (
          <input
            {...facts}
            type="datetime-local"
            name="at"
            step={1}
            required
            className="input"
            min={localTime(span.from)}
            max={localTime(span.until)}
            value={localTime(at)}
            onChange={({ target }) => {
              choose(new Date(target.value).getTime());
            }}
          />
        )}
      </Row>
      <div className="flex flex-wrap gap-2">
        {BACK.filter(([, ms]) => span.until - ms >= span.from).map(([word, ms]) => (
          <Button
            key={word}
            onClick={() => {
              choose(span.until - ms);
            }}
          >
            {word}
          </Button>
        ))}
      </div>
    </div>
  );
}
