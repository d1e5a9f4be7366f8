import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, PersonalData, type PersonalDataSource } from '../../auth/personal-data.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { OrgView } from './orgs.dto.js';

/** The organizations of the person, with the role in each. */
@Injectable()
export class ExportedMemberships implements PersonalDataSource, OnApplicationBootstrap {
  readonly type = 'membership';

  constructor(
    private readonly data: PersonalData,
    private readonly organizations: OrganizationsService,
  ) {}

  onApplicationBootstrap(): void {
    this.data.add(this);
  }

  async *read(call: Call): AsyncIterable<OrgView[]> {
    for await (const organizations of allPages((page) => this.organizations.list(call, page)))
      yield organizations.map((organization) => OrgView.of(organization));
  }
}
