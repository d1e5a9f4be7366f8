import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import cors from 'cors';
import type { Express, NextFunction, Request, Response } from 'express';
import { Config } from '../config/config.js';
import { Ids } from '../ids/ids.js';
import { Log } from '../logging/log.js';
import { isApiCall } from './api-path.js';
import { answerConnectionFaults } from './connection-faults.js';
import { FastExpressAdapter } from './fast-express.adapter.js';
import { OtherHosts, type TrustsAddress } from './other-hosts.js';
import { RequestContextMiddleware } from './request-context.middleware.js';

const BUDGET_HEADERS = ['x-service-tier', 'x-service-calls-limit', 'x-service-calls-remaining', 'x-service-calls-reset'];

/** What an application needs besides its modules before it listens. */
export function configureHttp(app: INestApplication): void {
  const config = app.get(Config);
  const express = app.getHttpAdapter().getInstance() as Express;
  const { trustProxy } = config;
  express.set('trust proxy', typeof trustProxy === 'number' ? trustProxy : [...trustProxy]);

  const others = app.get(OtherHosts);
  others.trust(express.get('trust proxy fn') as TrustsAddress);
  const adapter = app.getHttpAdapter();
  if (adapter instanceof FastExpressAdapter) adapter.leaveTo(others);

  app.use(app.get(RequestContextMiddleware).use);
  // Any page may call the public API with a key of its own. The ops surface stays closed to pages: it may be without
  // a token on a developer's machine.
  const answerPages = cors({
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: ['X-Request-Id', 'X-Trace-Id', 'Retry-After', 'Idempotency-Replayed', 'RateLimit', 'RateLimit-Policy', ...BUDGET_HEADERS],
    maxAge: 86_400,
  });
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (request.headers.origin !== undefined && isApiCall(request)) answerPages(request, response, next);
    else next();
  });

  const server = app.getHttpServer() as Server;
  const ids = app.get(Ids);
  answerConnectionFaults(server, { docsUrl: config.docsUrl, log: app.get(Log), newRequestId: () => ids.next('req') });
}
