import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, Request } from 'express';
import { Config } from '../config/config.js';
import type { DomainError } from '../errors/domain-error.js';
import { maskedPath } from './masked-path.js';
import { MethodNotAllowed, RouteNotFound } from './http.errors.js';

interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** Explains why no route matched a request. */
@Injectable()
export class UnknownRoutes {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: Config,
  ) {}

  /** Returns 405 when the path exists for other methods, else 404. */
  refusalOf({ method, path }: Request): DomainError {
    const allowed = this.methodsOf(path);
    const shown = maskedPath(path);
    if (allowed.length > 0) return new MethodNotAllowed(method, shown, allowed);
    return new RouteNotFound(method, shown, `${this.config.publicUrl}/docs/api`);
  }

  private methodsOf(path: string): string[] {
    const { router } = this.adapterHost.httpAdapter.getInstance<Express>();
    const matching = (router.stack as unknown as Layer[]).filter(
      (layer) => layer.route !== undefined && layer.match(path),
    );
    const names = new Set(
      matching.flatMap((layer) => Object.keys(layer.route!.methods)).map((name) => name.toUpperCase()),
    );
    if (names.has('GET')) names.add('HEAD');
    return [...names].sort();
  }
}
