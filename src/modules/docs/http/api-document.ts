import { type INestApplication, Injectable } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Express, NextFunction, Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { ErrorCatalog } from '../../../platform/errors/error-catalog.js';
import { RouteDirectory } from '../../auth/route-directory.js';
import { PAGE_POLICY } from '../page-policy.js';
import { describeApi } from './describe-api.js';

/** The OpenAPI description, made from the code the first time that somebody asks for it. */
@Injectable()
export class ApiDocument {
  private app: INestApplication | undefined;
  private document: OpenAPIObject | undefined;

  constructor(
    private readonly config: Config,
    private readonly routes: RouteDirectory,
    private readonly errors: ErrorCatalog,
  ) {}

  /** Serves the readable page at `/docs`; the description itself has a route of its own, behind the guards. */
  publishAt(app: INestApplication): void {
    this.app = app;
    const express = app.getHttpAdapter().getInstance() as Express;
    express.use('/docs', (_request: Request, response: Response, next: NextFunction) => {
      response.setHeader('Content-Security-Policy', PAGE_POLICY);
      next();
    });
    SwaggerModule.setup('docs', app, () => this.get(), {
      raw: false,
      customSiteTitle: 'API reference',
      swaggerOptions: { defaultModelsExpandDepth: 0, displayRequestDuration: true, tryItOutEnabled: true },
    });
  }

  /** @throws {Error} before {@link publishAt}: a wiring fault. */
  get(): OpenAPIObject {
    if (this.app === undefined) throw new Error('The application has not been given to its description.');
    this.document ??= describeApi(this.app, {
      publicUrl: this.config.publicUrl,
      routes: this.routes,
      errors: this.errors,
    });
    return this.document;
  }
}
