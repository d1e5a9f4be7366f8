import type { RuntimeLogLevel, RuntimeLogLine } from '@service/client';
import { type Paint, printable } from './terminal.js';

export const RUNTIME_LOG_LEVELS: readonly RuntimeLogLevel[] = ['debug', 'info', 'warn', 'error', 'system'];
const WIDTH = Math.max(...RUNTIME_LOG_LEVELS.map(({ length }) => length));

export function runtimeLineText(paint: Paint, { time, level, text }: RuntimeLogLine): string {
  const words = level === 'system' ? paint.dim(`› ${printable(text)}`) : printable(text);
  return `${paint.dim(time)} ${styleOf(paint, level)(level.padEnd(WIDTH))} ${words}`;
}

function styleOf({ red, yellow, green, dim }: Paint, level: RuntimeLogLevel): (text: string) => string {
  switch (level) {
    case 'error':
      return red;
    case 'warn':
      return yellow;
    case 'info':
      return green;
    case 'debug':
    case 'system':
      return dim;
  }
}
