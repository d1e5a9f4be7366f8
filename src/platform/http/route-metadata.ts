import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';

interface Decorator {
  readonly KEY: string;
}

type Known<Value> = WeakMap<object, { readonly value: Value | undefined }>;

/** What a decorator says of a route, or of its controller; looked up once, because it never changes. */
export class RouteMetadata<Value> {
  /** By controller first: two controllers may inherit one handler and declare different things. */
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
