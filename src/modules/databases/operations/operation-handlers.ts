import { Injectable } from '@nestjs/common';
import type { HandlerRegistry, OperationHandler } from './operation-handler.js';

/** The handlers of this process, which add themselves. */
@Injectable()
export class OperationHandlers implements HandlerRegistry {
  private readonly added: OperationHandler[] = [];

  add(handler: OperationHandler): void {
    this.added.push(handler);
  }

  get kinds(): string[] {
    return this.added.map(({ kind }) => kind);
  }

  /** @throws {Error} when there is not exactly one handler. */
  of(kind: string): OperationHandler {
    const handlers = this.added.filter((handler) => handler.kind === kind);
    if (handlers.length !== 1) throw new Error(`${handlers.length} handlers do the operation ${kind}.`);
    return handlers[0]!;
  }
}
