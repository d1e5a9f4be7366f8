import { type INestApplication, Injectable } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Express, NextFunction, Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { VERSION } from '../../../platform/version.js';
import { PAGE_POLICY } from '../page-policy.js';

/** The OpenAPI description, made from the code the first time that somebody asks for it. */
@Injectable()
export class ApiDocument {
  private app: INestApplication | undefined;
  private document: OpenAPIObject | undefined;

  constructor(private readonly config: Config) {}

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
    this.document ??= SwaggerModule.createDocument(this.app, this.settings());
    return this.document;
  }

  private settings(): Omit<OpenAPIObject, 'paths'> {
    return new DocumentBuilder()
      .setTitle('Service platform')
      .setDescription(
        'Every failure has one shape; its `code` has a page under `/docs/errors/<code>`. Every answer under `/api/v1` carries the budget headers `x-service-tier`, `x-service-calls-limit`, `x-service-calls-remaining` and `x-service-calls-reset`.',
      )
      .setVersion(VERSION)
      .addServer(this.config.publicUrl)
      .addTag('sandbox', 'Runs untrusted code in isolation.')
      .addTag('operations', 'Health, readiness and metrics.')
      .addTag('documentation')
      .build();
  }
}
