import pino, { type DestinationStream } from 'pino';
import type { Config } from '../config/config.js';
import { GatheredLines } from './gathered-lines.js';

/** The process' one stream of structured lines; everything that is logged goes through it. */
export abstract class Log {
  abstract info(fields: object, message?: string): void;
  abstract warn(fields: object, message?: string): void;
  abstract error(fields: object, message?: string): void;
  abstract debug(fields: object, message?: string): void;
  /**
   * A line of the level `info`, for who writes tens of thousands a second and knows its fields beforehand.
   *
   * @param fields as JSON, without the braces around them: `"status":200,"path":"/"`. They are written as they are.
   */
  abstract infoLine(fields: string): void;
  /** Waits until every line so far has been handed to the operating system. */
  abstract flush(callback: (error?: Error) => void): void;
}

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
      serializers: { error: pino.stdSerializers.errWithCause },
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
