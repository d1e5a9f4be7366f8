/**
 * What a user would build from common packages instead, as a process of its own. It gives the same answer as the
 * service's `GET /api/v1/me`, which the variable ANSWER holds, and does the same work around it: it looks an API key up
 * in a cache, checks two limits in Redis (`@nestjs/throttler`), writes a log line (`pino-http`), counts
 * (`prom-client`), and sets a request id and security headers.
 *
 * KEYS lists the keys that exist. REDIS_URL names the Redis that keeps the counters.
 */
import 'reflect-metadata';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  createParamDecorator,
  Controller,
  Get,
  Injectable,
  Module,
  UnauthorizedException,
  ValidationPipe,
} from '@nestjs/common';
import { APP_GUARD, APP_PIPE, NestFactory, Reflector } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule, ThrottlerStorage, getOptionsToken } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { pinoHttp } from 'pino-http';
import { Counter, Histogram, Registry } from 'prom-client';

const { data } = JSON.parse(process.env.ANSWER);
const KEYS = new Set(JSON.parse(process.env.KEYS));
const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
};

/** Refuses a key that does not exist, and keeps one that does for ten seconds before it is looked up again. */
class ApiKeyGuard {
  callers = new LRUCache({ max: 10_000, ttl: 10_000 });

  canActivate(context) {
    const request = context.switchToHttp().getRequest();
    const key = request.headers.authorization?.replace(/^Bearer /, '');
    request.caller = this.callers.get(key) ?? this.lookUp(key);
    return true;
  }

  lookUp(key) {
    if (!KEYS.has(key)) throw new UnauthorizedException();
    const caller = { orgId: `org-${key}`, answer: data };
    this.callers.set(key, caller);
    return caller;
  }
}
Injectable()(ApiKeyGuard);

/**
 * The script of `@nest-lab/throttler-storage-redis`, whose latest release does not allow for Nest 12; sent by its hash.
 */
const INCREMENT = `
  local hits = redis.call('INCR', KEYS[1])
  local expires = redis.call('PTTL', KEYS[1])
  if expires <= 0 then
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    expires = tonumber(ARGV[1])
  end
  local blocked = redis.call('GET', KEYS[2])
  local blockExpires = 0
  if blocked then
    blockExpires = redis.call('PTTL', KEYS[2])
  elseif hits > tonumber(ARGV[2]) then
    redis.call('SET', KEYS[2], 1, 'PX', ARGV[3])
    blocked = '1'
    blockExpires = tonumber(ARGV[3])
  end
  return { hits, expires, blocked and 1 or 0, blockExpires }`;

class RedisStorage {
  constructor(url) {
    const { protocol, pathname } = new URL(url);
    this.redis = new Redis(protocol === 'unix:' ? { path: decodeURIComponent(pathname) } : url);
    this.redis.defineCommand('increment', { numberOfKeys: 2, lua: INCREMENT });
  }

  async increment(key, ttl, limit, blockDuration, name) {
    const [totalHits, timeToExpire, isBlocked, timeToBlockExpire] = await this.redis.increment(
      `{${key}:${name}}:hits`,
      `{${key}:${name}}:blocked`,
      ttl,
      limit,
      blockDuration,
    );
    return {
      totalHits,
      timeToExpire: Math.ceil(timeToExpire / 1000),
      isBlocked: isBlocked === 1,
      timeToBlockExpire: Math.ceil(timeToBlockExpire / 1000),
    };
  }
}

const Caller = createParamDecorator((_, context) => context.switchToHttp().getRequest().caller);
const RequestId = createParamDecorator((_, context) => context.switchToHttp().getRequest().id);

class MeController {
  get(caller, requestId) {
    return { data: caller.answer, meta: { request_id: requestId } };
  }
}
Controller('api/v1/me')(MeController);
Get()(MeController.prototype, 'get', Object.getOwnPropertyDescriptor(MeController.prototype, 'get'));
Caller()(MeController.prototype, 'get', 0);
RequestId()(MeController.prototype, 'get', 1);

class AppModule {}
Module({
  imports: [
    ThrottlerModule.forRoot({
      throttlers: [
        { name: 'burst', ttl: 2_000, limit: 2_000 },
        { name: 'daily', ttl: 86_400_000, limit: 100_000_000 },
      ],
      getTracker: ({ caller }) => caller.orgId,
      storage: new RedisStorage(process.env.REDIS_URL),
    }),
  ],
  controllers: [MeController],
  providers: [
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    {
      provide: APP_GUARD,
      useFactory: (...parts) => new ThrottlerGuard(...parts),
      inject: [getOptionsToken(), ThrottlerStorage, Reflector],
    },
    { provide: APP_PIPE, useFactory: () => new ValidationPipe({ transform: true, whitelist: true }) },
  ],
})(AppModule);

const registry = new Registry();
const labelNames = ['method', 'route', 'status'];
const requests = new Counter({ name: 'http_requests_total', help: 'Requests.', labelNames, registers: [registry] });
const durations = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Durations.',
  labelNames,
  registers: [registry],
});

function measure(request, response, next) {
  const end = durations.startTimer();
  response.on('finish', () => {
    const labels = { method: request.method, route: request.route?.path ?? 'unmatched', status: response.statusCode };
    requests.inc(labels);
    end(labels);
  });
  next();
}

function secure(_request, response, next) {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  next();
}

/** What `nestjs-pino` does around `pino-http`: code that is not given the request finds its logger. */
const loggers = new AsyncLocalStorage();
const withLogger = (request, _response, next) => {
  loggers.run(request.log, next);
};

const app = await NestFactory.create(AppModule, { logger: false });
app.use(
  pinoHttp({
    genReqId: (request, response) => {
      const id = request.headers['x-request-id'] ?? randomUUID();
      response.setHeader('X-Request-Id', id);
      return id;
    },
    // The default is to log all headers, including the key.
    serializers: { req: ({ id, method, url }) => ({ id, method, url }), res: ({ statusCode }) => ({ statusCode }) },
  }),
  withLogger,
  secure,
  measure,
);
await app.listen(0, '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
process.stderr.write(`http://127.0.0.1:${app.getHttpServer().address().port}\n`);
