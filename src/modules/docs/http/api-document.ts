import { type INestApplication, Injectable } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Express, NextFunction, Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { ErrorCatalog } from '../../../platform/errors/error-catalog.js';
import { RouteDirectory } from '../../auth/route-directory.js';
import { ApiDescription } from '../api-description.js';
import { describeApi } from './describe-api.js';

/** The interactive reference needs inline styles. Like the other pages, it loads nothing from elsewhere. */
const REFERENCE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; " +
  "frame-ancestors 'none'";

/** Generates the OpenAPI document from the code on first use. */
@Injectable()
export class ApiDocument extends ApiDescription {
  private app: INestApplication | undefined;
  private document: OpenAPIObject | undefined;

  constructor(
    private readonly config: Config,
    private readonly routes: RouteDirectory,
    private readonly errors: ErrorCatalog,
  ) {
    super();
  }

  /** Serves the interactive reference at `/docs/api`. The document itself has a route of its own, behind the guards. */
  publishAt(app: INestApplication): void {
    this.app = app;
    const express = app.getHttpAdapter().getInstance() as Express;
    express.use('/docs/api', (_request: Request, response: Response, next: NextFunction) => {
      response.setHeader('Content-Security-Policy', REFERENCE_POLICY);
      next();
    });
    SwaggerModule.setup('docs/api', app, () => this.get(), {
      raw: false,
      customSiteTitle: 'API reference',
      swaggerOptions: { defaultModelsExpandDepth: 0, displayRequestDuration: true, tryItOutEnabled: true },
    });
  }

  /** @throws {Error} when called before {@link publishAt}, which is a wiring fault. */
  get(): OpenAPIObject {
    if (this.app === undefined) throw new Error('The API document was requested before publishAt() was called.');
    this.document ??= describeApi(this.app, {
      publicUrl: this.config.publicUrl,
      routes: this.routes,
      errors: this.errors,
    });
    return this.document;
  }
}
