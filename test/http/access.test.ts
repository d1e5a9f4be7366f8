import { Controller, Get, Module } from '@nestjs/common';
import { APP_GUARD, ModulesContainer, NestFactory } from '@nestjs/core';
import { AccessGuard } from '../../src/modules/auth/http/access.guard.js';
import { RequireOperatorToken } from '../../src/modules/auth/require-operator-token.js';
import { FastExpressAdapter } from '../../src/platform/http/fast-express.adapter.js';
import { Public } from '../../src/platform/http/public.js';
import { useApp } from '../support/test-app.js';

/** A route that somebody forgot to think about. */
@Controller('forgotten')
class ForgottenController {
  @Get()
  get(): string {
    return 'secret';
  }
}

@Module({ controllers: [ForgottenController], providers: [{ provide: APP_GUARD, useClass: AccessGuard }] })
class ForgottenModule {}

describe('a route that does not say who may call it', () => {
  it('answers no one', async () => {
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

  it('says who may call it', () => {
    const routes = [...app.nest.get(ModulesContainer).values()]
      .flatMap((module) => [...module.controllers.values()])
      .flatMap(({ metatype }) => {
        const { prototype, name } = metatype as { prototype: Record<string, object>; name: string };
        const handlers = Object.getOwnPropertyNames(prototype).filter((key) => key !== 'constructor' && Reflect.hasMetadata('path', prototype[key]!));
        return handlers.map((key) => ({ route: `${name}.${key}`, places: [prototype[key]!, metatype as object] }));
      });
    expect(routes.length).toBeGreaterThanOrEqual(7);
    const silent = routes.filter(({ places }) => !places.some((place) => [Public.KEY, RequireOperatorToken.KEY].some((key) => Reflect.hasMetadata(key, place))));
    expect(silent.map(({ route }) => route)).toEqual([]);
  });
});
