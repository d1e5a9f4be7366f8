import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { RunsService } from '../requests/runs.service.js';
import { RunView } from './runs.dto.js';

/** The runs of the personal organization, without their steps. */
@Injectable()
@ExportedAs('run')
export class ExportedRuns implements PersonalDataSource {
  constructor(private readonly runs: RunsService) {}

  async *read(call: Call): AsyncIterable<RunView[]> {
    for await (const runs of allPages((page) => this.runs.list(call, {}, page)))
      yield runs.map((run) => RunView.of(run));
  }
}
