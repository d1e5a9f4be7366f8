import { Controller, Get, Module, RequestMethod } from '@nestjs/common';
import { APP_GUARD, ModulesContainer, NestFactory } from '@nestjs/core';
import { AccessGuard } from '../../src/modules/auth/http/access.guard.js';
import { RequireOperatorToken } from '../../src/modules/operators/require-operator-token.js';
import { RequireScope } from '../../src/modules/auth/require-scope.js';
import { FastExpressAdapter } from '../../src/platform/http/fast-express.adapter.js';
import { WriteInterceptor } from '../../src/platform/http/json-body.js';
import { Public } from '../../src/platform/http/public.js';
import { useApp } from '../support/test-app.js';

/** A route that declares no access. */
@Controller('forgotten')
class ForgottenController {
  @Get()
  get(): string {
    return 'secret';
  }
}

@Module({ controllers: [ForgottenController], providers: [{ provide: APP_GUARD, useClass: AccessGuard }] })
class ForgottenModule {}

describe('a route without an access declaration', () => {
  it('answers nobody', async () => {
    const app = await NestFactory.create(ForgottenModule, new FastExpressAdapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
    const answer = await fetch(`${await app.getUrl()}/forgotten`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('secret');
    await app.close();
  });
});

describe('every route of the service', () => {
  const app = useApp();

  const handlers = (): { route: string; handler: object; places: object[] }[] =>
    [...app.nest.get(ModulesContainer).values()]
      .flatMap((module) => [...module.controllers.values()])
      .flatMap(({ metatype }) => {
        const { prototype, name } = metatype as { prototype: Record<string, object>; name: string };
        return Object.getOwnPropertyNames(prototype)
          .filter((key) => key !== 'constructor' && Reflect.hasMetadata('path', prototype[key]!))
          .map((key) => ({
            route: `${name}.${key}`,
            handler: prototype[key]!,
            places: [prototype[key]!, metatype as object],
          }));
      });

  it('declares who may call it', () => {
    expect(handlers().length).toBeGreaterThanOrEqual(30);
    const silent = handlers().filter(
      ({ places }) =>
        !places.some((place) =>
          [Public.KEY, RequireOperatorToken.KEY, RequireScope.KEY].some((key) => Reflect.hasMetadata(key, place)),
        ),
    );
    expect(silent.map(({ route }) => route)).toEqual([]);
  });

  it('keeps the promises for writes', () => {
    const reads = [RequestMethod.GET, RequestMethod.HEAD, RequestMethod.OPTIONS];
    const writes = handlers().filter(({ handler }) => !reads.includes(Reflect.getMetadata('method', handler)));
    expect(writes.length).toBeGreaterThanOrEqual(15);
    // Git, webhooks, SAML, SCIM and OAuth with its forms have their own protocols, which do not use idempotency keys.
    const careless = writes.filter(
      ({ route, handler }) =>
        !/^(Git|Oauth|Consent|SamlPages|Scim(Users|Groups|Fallback))(?=Controller)|Webhook(?=Controller)/.test(route) &&
        !(Reflect.getMetadata('__interceptors__', handler) as unknown[] | undefined)?.includes(WriteInterceptor),
    );
    expect(careless.map(({ route }) => route)).toEqual([]);
  });
});
