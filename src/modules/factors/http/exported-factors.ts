import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { PersonalData, type PersonalDataSource } from '../../auth/personal-data.js';
import { FactorsService } from '../factors.service.js';
import { FactorsView } from './factors.dto.js';

/** The second factors of the person, without their secrets. */
@Injectable()
export class ExportedFactors implements PersonalDataSource, OnApplicationBootstrap {
  readonly type = 'factor';

  constructor(
    private readonly data: PersonalData,
    private readonly factors: FactorsService,
  ) {}

  onApplicationBootstrap(): void {
    this.data.add(this);
  }

  /** A person has a handful of them. */
  async *read({ principal: { user } }: Call): AsyncIterable<readonly object[]> {
    yield FactorsView.of(await this.factors.overview(user.id)).factors;
  }
}
