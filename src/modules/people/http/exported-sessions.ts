import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { SessionView } from './sessions.dto.js';

/** The sessions that the person is signed in with. */
@Injectable()
@ExportedAs('session')
export class ExportedSessions implements PersonalDataSource {
  constructor(private readonly sessions: SessionsService) {}

  async *read(call: Call): AsyncIterable<SessionView[]> {
    for await (const sessions of allPages((page) => this.sessions.list(call, page)))
      yield sessions.map((session) => SessionView.of(session, call));
  }
}
