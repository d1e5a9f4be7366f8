import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import cors from 'cors';
import type { Express, NextFunction, Request, Response } from 'express';
import { Config } from '../config/config.js';
import { Ids } from '../ids/ids.js';
import { REQUEST_ID } from '../ids/platform.ids.js';
import { Log } from '../logging/log.js';
import { isApiCall } from './api-path.js';
import { isLoopback } from './connection-bounds.js';
import { FailureHeaders } from './failure-headers.js';
import { failureOf } from './failure.js';
import { guardListener } from './guard-listener.js';
import { hostNameOf } from './host-name.js';
import { HostPolicy } from './host-policy.js';
import { PathHandlers } from './path-handlers.js';
import { RequestContextMiddleware } from './request-context.middleware.js';
import { indexedRoutes } from './route-index.js';
import { securityHeaders } from './security-headers.js';
import { TrustedProxies } from './trusted-proxies.js';

const BUDGET_HEADERS = [
  'x-service-tier',
  'x-service-calls-limit',
  'x-service-calls-remaining',
  'x-service-calls-reset',
];

/** Configures an application, apart from its modules, before it listens. */
export function configureHttp(app: INestApplication): void {
  const config = app.get(Config);
  const express = app.getHttpAdapter().getInstance() as Express;
  const { trustProxy } = config;
  express.set('trust proxy', typeof trustProxy === 'number' ? trustProxy : [...trustProxy]);

  app.use(app.get(RequestContextMiddleware).use);
  app.use(refuseOtherHosts(app.get(HostPolicy)));
  app.use(answerPaths(app.get(PathHandlers)));
  // Any page may call the public API with its own key. The operator's endpoints stay closed to pages, because on a
  // developer's machine they may have no token.
  const answerCrossOrigin = cors({
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'X-Request-Id',
      'X-Trace-Id',
      'Retry-After',
      'X-Should-Retry',
      'Idempotency-Replayed',
      'RateLimit',
      'RateLimit-Policy',
      ...BUDGET_HEADERS,
    ],
    maxAge: 86_400,
  });
  const budget = app.get(FailureHeaders);
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (request.headers.origin === undefined || !isApiCall(request)) next();
    // Every response of the API carries the call budget (service document §8), including preflight responses.
    else if (request.method === 'OPTIONS')
      void budget.complete(request, response, 204).then(() => {
        answerCrossOrigin(request, response, next);
      });
    else answerCrossOrigin(request, response, next);
  });
  app.use(indexedRoutes(express));

  const server = app.getHttpServer() as Server;
  const ids = app.get(Ids);
  const proxies = app.get(TrustedProxies);
  guardListener(server, {
    connections: { ...config.connections, isShared: (address) => isLoopback(address) || proxies.trustsPeer(address) },
    render: (error, requestId) => {
      const { contentType, body } = failureOf(error, requestId, config, false);
      return { contentType, text: JSON.stringify(body) };
    },
    headers: securityHeaders(config.publicUrl),
    newRequestId: () => ids.next(REQUEST_ID),
    log: app.get(Log),
  });
}

function refuseOtherHosts(hosts: HostPolicy): (request: Request, response: Response, next: NextFunction) => void {
  return ({ headers }, _response, next) => {
    const host = hostNameOf(headers.host);
    if (host !== undefined) hosts.requireOwn(host);
    next();
  };
}

function answerPaths(paths: PathHandlers): (request: Request, response: Response, next: NextFunction) => void {
  return (request, response, next) => {
    const handler = paths.of(request);
    if (handler === undefined) next();
    else handler(request, response);
  };
}
