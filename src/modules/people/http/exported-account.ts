import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { UsersStore } from '../persistence/users.store.js';

/** The account itself, without the hash of its password. */
@Injectable()
@ExportedAs('account')
export class ExportedAccount implements PersonalDataSource {
  constructor(private readonly users: UsersStore) {}

  async *read({ principal, org }: Call): AsyncIterable<readonly object[]> {
    const user = await this.users.find(principal.user.id);
    if (user === undefined) return;
    const { id, username, email, emailVerifiedAt, createdAt } = user;
    yield [
      {
        id,
        username,
        email,
        ...(emailVerifiedAt === null ? {} : { email_verified_at: emailVerifiedAt.toISOString() }),
        created_at: createdAt.toISOString(),
        organization: { id: org.id, slug: org.slug, name: org.name, plan: org.plan },
      },
    ];
  }
}
