import pino, { type DestinationStream } from 'pino';
import type { Config } from '../config/config.js';
import { GatheredLines } from './gathered-lines.js';
import { loggedError } from './logged-error.js';

/** The only stream of structured log lines in the process. */
export abstract class Log {
  abstract info(fields: object, message?: string): void;
  abstract warn(fields: object, message?: string): void;
  abstract error(fields: object, message?: string): void;
  abstract debug(fields: object, message?: string): void;
  /**
   * Writes a line of the level `info`, for code that writes tens of thousands a second and knows its fields in advance.
   * @param fields JSON without the surrounding braces: `"status":200,"path":"/"`. It is written unchanged.
   */
  abstract infoLine(fields: string): void;
  /** Waits until every line so far has been handed to the operating system. */
  abstract flush(callback: (error?: Error) => void): void;
}

/** Many lines share one millisecond, and formatting it costs more than all other fields of a line. */
function timestamps(): () => string {
  let last = { ms: Number.NaN, text: '' };
  return () => {
    const ms = Date.now();
    if (ms !== last.ms) last = { ms, text: `,"time":"${new Date(ms).toISOString()}"` };
    return last.text;
  };
}

/** Opens a log that writes without blocking: a slow reader of standard output must not delay a response. */
export function openLog(
  { logLevel, role }: Pick<Config, 'logLevel' | 'role'>,
  destination: DestinationStream = GatheredLines.toStandardOutput(),
): Log {
  const timestamp = timestamps();
  const logger = pino(
    {
      level: logLevel,
      base: { process: role },
      timestamp,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: (error: unknown) => loggedError(error) },
    },
    destination,
  );
  const isWritten = logger.isLevelEnabled('info');
  return Object.assign(logger, {
    infoLine: (fields: string) => {
      if (isWritten) destination.write(`{"level":"info"${timestamp()},"process":"${role}",${fields}}\n`);
    },
  });
}
