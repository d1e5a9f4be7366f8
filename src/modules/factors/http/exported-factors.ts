import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { FactorsService } from '../factors.service.js';
import { FactorsView } from './factors.dto.js';

/** The second factors of the person, without their secrets. */
@Injectable()
@ExportedAs('factor')
export class ExportedFactors implements PersonalDataSource {
  constructor(private readonly factors: FactorsService) {}

  /** A person has a handful of them. */
  async *read({ principal: { user } }: Call): AsyncIterable<readonly object[]> {
    yield FactorsView.of(await this.factors.overview(user.id)).factors;
  }
}
