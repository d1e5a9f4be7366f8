import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../ui/icons';
import { piecesOf } from './ansi';

interface LogLine {
  readonly seq: number;
  readonly text: string;
  readonly stream: string;
}

/** The number of a line is a link, and a target needs 24 pixels (WCAG 2.2). */
const ROW = 24;
const AROUND = 30;

interface LogViewProps<Line extends LogLine> {
  readonly lines: readonly Line[];
  readonly running: boolean;
  readonly empty: string;
  /** What stands before a line, where its number says nothing. */
  readonly nameOf?: (line: Line) => string;
  /** Beside the search. */
  readonly filters?: ReactNode;
}

/** Only the rows in view are in the page. It follows the end until the reader scrolls up, and again from the end on. */
export function LogView<Line extends LogLine>({
  lines,
  running,
  empty,
  nameOf,
  filters,
}: LogViewProps<Line>): ReactNode {
  const [wanted, setWanted] = useState('');
  const shown = useMemo(() => {
    const text = wanted.toLowerCase();
    return text === '' ? lines : lines.filter((line) => line.text.toLowerCase().includes(text));
  }, [lines, wanted]);
  const count = `${shown.length.toLocaleString('en')} ${shown.length === 1 ? 'line' : 'lines'}`;
  return (
    <section aria-label="Log" className="card overflow-hidden">
      <div className="border-line flex flex-wrap items-center gap-3 border-b p-2">
        {filters}
        <label className="bg-sunken text-muted focus-within:outline-accent-ink flex h-8 flex-1 basis-32 items-center gap-2 rounded-md px-2 focus-within:outline-2">
          <Icon name="search" size={14} />
          <span className="sr-only">Find in the log</span>
          <input
            data-search
            value={wanted}
            onChange={(event) => {
              setWanted(event.target.value);
            }}
            placeholder="Find in the log"
            className="placeholder:text-muted text-ink min-w-0 flex-1 bg-transparent outline-none"
          />
        </label>
        <span className="text-muted pr-1 text-xs whitespace-nowrap tabular-nums">
          {running ? `${count}, live` : count}
        </span>
      </div>
      <Rows
        lines={shown}
        all={lines}
        running={running}
        empty={wanted === '' ? empty : 'No line has this text.'}
        {...(nameOf !== undefined && { nameOf })}
      />
    </section>
  );
}

interface RowsProps<Line extends LogLine> extends Pick<LogViewProps<Line>, 'nameOf'> {
  readonly lines: readonly Line[];
  readonly all: readonly Line[];
  readonly running: boolean;
  readonly empty: string;
}

function Rows<Line extends LogLine>({ lines, all, running, empty, nameOf }: RowsProps<Line>): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const last = useRef(0);
  /** Where the program scrolled to: the event that follows is not the reader's doing. */
  const own = useRef(-1);
  const sought = useRef(Number(/^#L(\d+)$/.exec(location.hash)?.[1] ?? 0));
  const [marked, setMarked] = useState(sought.current);
  const [top, setTop] = useState(0);
  const [follow, setFollow] = useState(true);

  useLayoutEffect(() => {
    const place = box.current!;
    const at = all.findIndex(({ seq }) => seq === sought.current);
    // A link to a line waits until the line is there; without one, the end is followed.
    if (at >= 0) {
      place.scrollTop = Math.max(0, at - 5) * ROW;
      sought.current = 0;
      setFollow(false);
    } else if (follow && sought.current === 0) place.scrollTop = place.scrollHeight;
    else return;
    own.current = place.scrollTop;
    setTop(place.scrollTop);
  }, [all, lines.length, follow]);

  const onScroll = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    // Lines that came since make the distance to the end grow by themselves: only going up asks to stay.
    if (scrollTop === own.current) own.current = -1;
    else if (scrollTop < last.current - 1) setFollow(false);
    else if (scrollHeight - scrollTop - clientHeight < ROW) setFollow(true);
    last.current = scrollTop;
    setTop(scrollTop);
  };
  const first = Math.max(0, Math.floor(top / ROW) - AROUND);
  const rows = lines.slice(first, first + Math.ceil((box.current?.clientHeight ?? 480) / ROW) + 2 * AROUND);
  const lineRow = (line: Line): ReactNode => {
    const { seq, text } = line;
    return (
      <div key={seq} id={`L${seq}`} className={`flex h-6 whitespace-pre ${lookOf(line, seq === marked)}`}>
        <a
          href={`#L${seq}`}
          aria-label={`Line ${seq}`}
          onClick={() => {
            setMarked(seq);
          }}
          className={`text-muted shrink-0 pr-4 text-right select-none hover:underline ${nameOf === undefined ? 'w-14' : 'w-24'}`}
        >
          {nameOf?.(line) ?? seq}
        </a>
        <span className="pr-4">
          {piecesOf(text).map((piece, index) => (
            <span key={index} className={piece.look}>
              {piece.text}
            </span>
          ))}
        </span>
      </div>
    );
  };
  return (
    <div className="relative">
      <div
        ref={box}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Lines of the log"
        className="bg-sunken h-[28rem] overflow-auto font-mono text-xs leading-6 [overflow-anchor:none]"
      >
        {lines.length === 0 && <p className="text-muted p-4">{empty}</p>}
        <div style={{ height: lines.length * ROW + (lines.length === 0 ? 0 : 16) }}>
          <div className="w-max min-w-full" style={{ transform: `translateY(${first * ROW + 8}px)` }}>
            {rows.map(lineRow)}
          </div>
        </div>
      </div>
      {!follow && running && (
        <button
          type="button"
          onClick={() => {
            setFollow(true);
          }}
          className="bg-accent text-on-accent absolute right-4 bottom-4 h-7 rounded-full px-3 shadow-[var(--shadow)]"
        >
          Follow the end
        </button>
      )}
    </div>
  );
}

/** Programs report their progress on the error output as well; what they call a warning or a notice is no error. */
const NO_ERROR = /^\s*(?:(?:npm|pnpm|yarn) |\(node:\d+\) )?\[?(?:warn(?:ing)?|notice|info)\b/i;

function lookOf({ stream, text }: LogLine, isMarked: boolean): string {
  if (isMarked) return 'bg-accent-soft';
  if (stream === 'system') return 'text-muted';
  return stream === 'stderr' && !NO_ERROR.test(text) ? 'bg-bad-soft' : '';
}
