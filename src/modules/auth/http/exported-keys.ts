import { Injectable } from '@nestjs/common';
import type { Call } from '../caller.js';
import { KeysService } from '../keys.service.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../personal-data.js';
import { KeyView } from './keys.dto.js';

/** The keys that belong to the person, without those of others that an admin sees. */
@Injectable()
@ExportedAs('key')
export class ExportedKeys implements PersonalDataSource {
  constructor(private readonly keys: KeysService) {}

  async *read(call: Call): AsyncIterable<KeyView[]> {
    for await (const keys of allPages((page) => this.keys.list(call, page)))
      yield keys.filter(({ key }) => key.userId === call.principal.user.id).map((key) => KeyView.of(key));
  }
}
