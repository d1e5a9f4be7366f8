import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';
import type { RequestContext } from './request-context.js';

/** Writes Nest's own messages, and those of `new Logger(…)`, as the same structured lines as all others. */
export class NestLog implements LoggerService {
  constructor(
    private readonly log_: Log,
    private readonly context: RequestContext,
  ) {}

  log(message: unknown, ...rest: unknown[]): void {
    // Nest reports every module and route at start, which is detail.
    this.log_.debug(this.fields(rest), String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.log_.warn(this.fields(rest), textOf(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const error = [message, ...rest].find((part) => part instanceof Error);
    this.log_.error(error ? { ...this.fields(rest), error } : this.fields(rest), textOf(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.error(message, ...rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.log_.debug(this.fields(rest), textOf(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.debug(message, ...rest);
  }

  private fields(rest: unknown[]): object {
    const source = rest.at(-1);
    return { ...this.context.current, ...(typeof source === 'string' ? { source } : {}) };
  }
}

const textOf = (message: unknown): string => (message instanceof Error ? message.message : String(message));
