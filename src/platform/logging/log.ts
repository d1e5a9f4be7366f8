import pino, { type DestinationStream } from 'pino';
import type { Config } from '../config/config.js';

/** The process' one stream of structured lines; everything that is logged goes through it. */
export abstract class Log {
  abstract info(fields: object, message?: string): void;
  abstract warn(fields: object, message?: string): void;
  abstract error(fields: object, message?: string): void;
  abstract debug(fields: object, message?: string): void;
  /** Waits until every line so far has been handed to the operating system. */
  abstract flush(callback: (error?: Error) => void): void;
}

/**
 * Lines are gathered up to this size, or this time, whichever comes first: what a write costs hardly depends on how much
 * is written, and for each line it would be more than all the rest of a call.
 */
const GATHER_BYTES = 32_768;
const MAX_WRITE_BYTES = 65_536;
const GATHER_MS = 50;

/** Many lines have one millisecond, and to write it out costs more than all the rest of a line's fields. */
function timestamps(): () => string {
  let last = { ms: Number.NaN, text: '' };
  return () => {
    const ms = Date.now();
    if (ms !== last.ms) last = { ms, text: `,"time":"${new Date(ms).toISOString()}"` };
    return last.text;
  };
}

/** Writes without blocking: a slow reader of standard output must not slow an answer down. */
export function openLog(config: Pick<Config, 'logLevel'>, destination?: DestinationStream): Log {
  return pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: timestamps(),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.errWithCause },
    },
    destination ?? pino.destination({ dest: 1, sync: false, minLength: GATHER_BYTES, maxWrite: MAX_WRITE_BYTES, periodicFlush: GATHER_MS }),
  );
}
