import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';

interface Decorator {
  readonly KEY: string;
}

type Known<Value> = WeakMap<object, { readonly value: Value | undefined }>;

/** What a decorator declares for a route or its controller. It never changes, so it is looked up once. */
export class RouteMetadata<Value> {
  /** The controller is the first key, because two controllers may inherit one handler and declare different things. */
  private readonly byController = new WeakMap<object, Known<Value>>();

  constructor(
    private readonly reflector: Reflector,
    private readonly decorator: Decorator,
  ) {}

  of(context: ExecutionContext): Value | undefined {
    const controller = context.getClass();
    const handler = context.getHandler();
    let known = this.byController.get(controller);
    if (known === undefined) this.byController.set(controller, (known = new WeakMap()));
    let entry = known.get(handler);
    if (entry === undefined) {
      entry = { value: this.reflector.getAllAndOverride<Value | undefined>(this.decorator.KEY, [handler, controller]) };
      known.set(handler, entry);
    }
    return entry.value;
  }
}
