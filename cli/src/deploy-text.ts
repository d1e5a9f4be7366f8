import type { Deploy, DeployLogLine } from '@service/client';
import type { Paint } from './terminal.js';

/** Returns the state in the colour of its meaning: finished, failed, or still running. */
export function painted({ green, red, yellow, dim }: Paint, state: Deploy['state']): string {
  switch (state) {
    case 'ready':
      return green(state);
    case 'error':
      return red(state);
    case 'canceled':
    case 'skipped':
      return dim(state);
    case 'queued':
    case 'initializing':
    case 'building':
    case 'deploying':
      return yellow(state);
  }
}

export const logLineText = ({ dim }: Paint, { phase, stream, text }: DeployLogLine): string =>
  `${dim(phase.padEnd(7))} ${stream === 'system' ? dim(`› ${text}`) : text}`;
