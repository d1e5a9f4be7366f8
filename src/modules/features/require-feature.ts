import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Features } from './features.js';
import type { FlagName } from './flags/flags.js';

const Feature = Reflector.createDecorator<FlagName>();

@Injectable()
class FeatureGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly features: Features,
  ) {}

  /** @throws {FeatureDisabled} `feature_disabled` */
  canActivate(context: ExecutionContext): boolean {
    this.features.require(this.reflector.get(Feature, context.getHandler()));
    return true;
  }
}

/** The route answers 403 `feature_disabled` while the flag is off. The access guard runs first. */
export const RequireFeature = Object.assign(
  (flag: FlagName): MethodDecorator => applyDecorators(Feature(flag), UseGuards(FeatureGuard)),
  { KEY: Feature.KEY },
);
