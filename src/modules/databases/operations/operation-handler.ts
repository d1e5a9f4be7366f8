import type { Operation, OperationFailure } from './operation.js';

/** The handlers of a process, which add themselves. */
export interface HandlerRegistry {
  add(handler: OperationHandler): void;
}

/**
 * One step of an operation, outside of any transaction. It may be repeated: a process may die after its end and before
 * that is recorded. It must end soon when `signal` is aborted, because another process may have the operation then.
 */
export type OperationStep = (operation: Operation, signal: AbortSignal) => Promise<void>;

/** Does the operations of one kind. A provider of the role `databases` that extends this class is found by itself. */
export abstract class OperationHandler {
  abstract readonly kind: string;
  /** They run in this order, each until it has succeeded. */
  abstract readonly steps: readonly OperationStep[];
  /** How often a step is tried before the operation fails. */
  readonly maxAttempts: number = 8;

  constructor(handlers: HandlerRegistry) {
    handlers.add(this);
  }

  /** Records the outcome, in the transaction that ends the operation. */
  abstract succeeded(operation: Operation): Promise<void>;

  /** Records the failure, in the transaction that ends the operation. */
  abstract failed(operation: Operation, failure: OperationFailure): Promise<void>;
}
