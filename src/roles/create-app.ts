import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { configureHttp } from '../platform/http/configure-http.js';
import { FastExpressAdapter } from '../platform/http/fast-express.adapter.js';
import { NestLog } from '../platform/logging/nest-log.js';
import { type ServiceGround, ServiceModule, type ServiceRole } from './service.module.js';

/** Creates the application of one or several roles, ready to listen. */
export async function createApp(roles: readonly ServiceRole[], ground: ServiceGround): Promise<INestApplication> {
  const app = await NestFactory.create(await ServiceModule.with(roles, ground), new FastExpressAdapter(), {
    // The routes that take a body read it, after the guards have run.
    bodyParser: false,
    logger: new NestLog(ground.log, ground.context),
    abortOnError: false,
  });
  configureHttp(app);
  if (roles.includes('api')) app.get((await import('../modules/docs/http/api-document.js')).ApiDocument).publishAt(app);
  return app;
}
