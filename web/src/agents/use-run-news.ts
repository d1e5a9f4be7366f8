import type { AgentRunDelta, AgentRunEvent } from '@service/client';
import { useEffect, useState } from 'react';
import { api } from '../api';
import { refreshRun } from '../data/runs';

/** Events that come together are one reason to ask. */
const GATHER_MS = 150;

interface RunNews {
  /** What the model is writing, of the step that has not ended. */
  readonly text: string;
  readonly isLive: boolean;
}

const NOTHING: RunNews = { text: '', isLive: false };

/**
 * Follows a run while the page is visible: each event asks for the run and its steps again, and the text of the model
 * arrives as it is written. Browsers allow few connections to a host, so a hidden page holds none.
 */
export function useRunNews(org: string, run: string, isOver: boolean): RunNews {
  const [news, setNews] = useState<RunNews>(NOTHING);
  useEffect(() => {
    if (isOver) return;
    let stream: AbortController | undefined;
    let after = 0;
    let gathering = 0;
    let written = '';
    let frame = 0;
    const put = (): void => {
      frame = 0;
      setNews({ text: written, isLive: true });
    };
    const refresh = (): void => {
      gathering ||= window.setTimeout(() => {
        gathering = 0;
        void refreshRun(org, run);
      }, GATHER_MS);
    };
    const take = (event: AgentRunEvent | AgentRunDelta): void => {
      if (event.seq === undefined) written += event.data.text;
      else {
        after = event.seq;
        // The whole text comes with the step.
        if (event.type === 'step.started' || event.type === 'step.ended') written = '';
        refresh();
      }
      frame ||= requestAnimationFrame(put);
    };
    const read = async (signal: AbortSignal): Promise<void> => {
      const onConnection = (isLive: boolean): void => {
        if (!signal.aborted) setNews({ text: written, isLive });
      };
      for await (const event of api.runs.events(run, { organization: org, after, signal, onConnection })) take(event);
      refresh();
    };
    const open = (): void => {
      if (document.hidden || stream !== undefined) return;
      stream = new AbortController();
      const { signal } = stream;
      // The run itself is asked for again by the fallback of its query.
      read(signal).catch(() => {
        if (!signal.aborted) setNews(NOTHING);
      });
    };
    const onVisibility = (): void => {
      if (!document.hidden) {
        open();
        return;
      }
      stream?.abort();
      stream = undefined;
    };
    document.addEventListener('visibilitychange', onVisibility);
    open();
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      stream?.abort();
      clearTimeout(gathering);
      cancelAnimationFrame(frame);
      setNews(NOTHING);
    };
  }, [org, run, isOver]);
  return news;
}
