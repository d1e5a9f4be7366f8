import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { OrgView } from './orgs.dto.js';

/** The organizations of the person, with the role in each. */
@Injectable()
@ExportedAs('membership')
export class ExportedMemberships implements PersonalDataSource {
  constructor(private readonly organizations: OrganizationsService) {}

  async *read(call: Call): AsyncIterable<OrgView[]> {
    for await (const organizations of allPages((page) => this.organizations.list(call, page)))
      yield organizations.map((organization) => OrgView.of(organization));
  }
}
