import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiDocument } from '../modules/docs/http/api-document.js';
import { configureHttp } from '../platform/http/configure-http.js';
import { FastExpressAdapter } from '../platform/http/fast-express.adapter.js';
import { NestLog } from '../platform/logging/nest-log.js';
import type { Ground } from '../platform/platform.module.js';
import { ServiceModule, type ServiceRole } from './service.module.js';

/** The application of a role, wired and ready to listen. */
export async function createApp(role: ServiceRole, ground: Ground): Promise<INestApplication> {
  const app = await NestFactory.create(ServiceModule.with(role, ground), new FastExpressAdapter(), {
    // Bodies are read after the guards, by the routes that take one.
    bodyParser: false,
    logger: new NestLog(ground.log, ground.context),
    abortOnError: false,
  });
  configureHttp(app);
  if (role !== 'worker') app.get(ApiDocument).publishAt(app);
  return app;
}
