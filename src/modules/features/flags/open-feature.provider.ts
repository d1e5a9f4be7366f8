import { Injectable } from '@nestjs/common';
import {
  type Client,
  ErrorCode,
  OpenFeature,
  type Provider,
  type ResolutionDetails,
  StandardResolutionReasons,
} from '@openfeature/server-sdk';
import { Ids } from '../../../platform/ids/ids.js';
import { PROCESS_ID } from '../../../platform/ids/platform.ids.js';
import { Features, type FlagSource } from '../features.js';
import { isFlagName } from './flags.js';

const REASONS: Record<FlagSource, string> = {
  default: StandardResolutionReasons.DEFAULT,
  database: StandardResolutionReasons.STATIC,
  env: StandardResolutionReasons.STATIC,
};

/** Provides the flags through the standard API (openfeature.dev). All flags are booleans. */
@Injectable()
export class OpenFeatureFlags {
  private readonly domain: string;

  constructor(
    private readonly features: Features,
    ids: Ids,
  ) {
    // OpenFeature keeps one set of providers for the process, in which several applications may run.
    this.domain = ids.next(PROCESS_ID);
  }

  async client(): Promise<Client> {
    await OpenFeature.setProviderAndWait(this.domain, this.provider());
    return OpenFeature.getClient(this.domain);
  }

  private provider(): Provider {
    const other = <T>(_: string, value: T): Promise<ResolutionDetails<T>> =>
      Promise.resolve({ value, errorCode: ErrorCode.TYPE_MISMATCH });
    return {
      metadata: { name: 'service-platform' },
      runsOn: 'server',
      resolveBooleanEvaluation: (name, value) =>
        Promise.resolve(
          isFlagName(name)
            ? { value: this.features.isEnabled(name), reason: REASONS[this.features.sourceOf(name)] }
            : { value, errorCode: ErrorCode.FLAG_NOT_FOUND },
        ),
      resolveStringEvaluation: other,
      resolveNumberEvaluation: other,
      resolveObjectEvaluation: other,
    };
  }
}
