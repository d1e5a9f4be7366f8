import { useEffect, useRef, useState } from 'react';

interface Lines<Line> {
  readonly lines: readonly Line[];
  readonly error: unknown;
}

interface LinesOptions<Line> {
  /** Tells one stream from another: with a new key it is opened anew. */
  readonly streamKey: string;
  readonly open: (signal: AbortSignal) => AsyncIterable<Line>;
  readonly onLine?: (line: Line, before: Line | undefined) => void;
  readonly onEnd?: () => void;
  /** The most lines that are kept; the oldest go. */
  readonly most?: number;
}

/** The lines of a stream, put into the page once a frame. The client takes it up again where it broke off. */
export function useLines<Line>({ streamKey, most = Infinity, ...given }: LinesOptions<Line>): Lines<Line> {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [error, setError] = useState<unknown>();
  const latest = useRef(given);
  useEffect(() => {
    latest.current = given;
  });
  useEffect(() => {
    const abort = new AbortController();
    let waiting: Line[] = [];
    let frame = 0;
    let before: Line | undefined;
    const put = (): void => {
      frame = 0;
      const more = waiting;
      waiting = [];
      setLines((old) => [...old, ...more].slice(-most));
    };
    const read = async (): Promise<void> => {
      for await (const line of latest.current.open(abort.signal)) {
        waiting.push(line);
        frame ||= requestAnimationFrame(put);
        latest.current.onLine?.(line, before);
        before = line;
      }
      latest.current.onEnd?.();
    };
    read().catch((thrown: unknown) => {
      if (!abort.signal.aborted) setError(thrown);
    });
    return () => {
      abort.abort();
      cancelAnimationFrame(frame);
      setLines([]);
      setError(undefined);
    };
  }, [streamKey, most]);
  return { lines, error };
}
