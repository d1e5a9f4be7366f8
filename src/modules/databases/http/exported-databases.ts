import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { DatabasesService } from '../domain/databases.service.js';
import { DatabaseView } from './databases.dto.js';

/** The databases of the personal organization, without their content and credentials. */
@Injectable()
@ExportedAs('database')
export class ExportedDatabases implements PersonalDataSource {
  constructor(private readonly databases: DatabasesService) {}

  async *read(call: Call): AsyncIterable<DatabaseView[]> {
    for await (const databases of allPages((page) => this.databases.list(call, {}, page)))
      yield databases.map((database) => DatabaseView.of(database));
  }
}
