import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, PersonalData, type PersonalDataSource } from '../../auth/personal-data.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { SessionView } from './sessions.dto.js';

/** The sessions that the person is signed in with. */
@Injectable()
export class ExportedSessions implements PersonalDataSource, OnApplicationBootstrap {
  readonly type = 'session';

  constructor(
    private readonly data: PersonalData,
    private readonly sessions: SessionsService,
  ) {}

  onApplicationBootstrap(): void {
    this.data.add(this);
  }

  async *read(call: Call): AsyncIterable<SessionView[]> {
    for await (const sessions of allPages((page) => this.sessions.list(call, page)))
      yield sessions.map((session) => SessionView.of(session, call));
  }
}
