import { Injectable } from '@nestjs/common';
import { PersonalOrgs } from '../../orgs/personal-orgs.js';
import type { User } from '../persistence/user.entity.js';
import type { CallingUser, OrgMembership } from '../../auth/principal.js';

/** What sign-up and sign-in return about a user. */
export interface Account {
  readonly user: CallingUser;
  /** The personal organization. */
  readonly organization: OrgMembership;
}

@Injectable()
export class AccountsService {
  constructor(private readonly organizations: PersonalOrgs) {}

  async of({ id, username, email, emailVerifiedAt, secondFactor, hasPassword }: User): Promise<Account> {
    const organization = await this.organizations.get(id);
    return {
      user: {
        id,
        username,
        email,
        emailVerified: emailVerifiedAt !== null,
        hasSecondFactor: secondFactor,
        hasPassword,
      },
      organization,
    };
  }
}
