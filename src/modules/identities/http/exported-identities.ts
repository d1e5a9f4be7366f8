import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { IdentitiesService } from '../identities.service.js';
import { IdentityView } from './identities.dto.js';

/** The accounts at providers that the person signs in through. */
@Injectable()
@ExportedAs('identity')
export class ExportedIdentities implements PersonalDataSource {
  constructor(private readonly identities: IdentitiesService) {}

  /** A person has at most one of each provider. */
  async *read({ principal: { user } }: Call): AsyncIterable<readonly object[]> {
    yield (await this.identities.list(user.id)).map((identity) => IdentityView.of(identity));
  }
}
