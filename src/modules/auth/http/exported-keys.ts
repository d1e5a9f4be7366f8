import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Call } from '../caller.js';
import { KeysService } from '../keys.service.js';
import { allPages, PersonalData, type PersonalDataSource } from '../personal-data.js';
import { KeyView } from './keys.dto.js';

/** The keys that belong to the person, without those of others that an admin sees. */
@Injectable()
export class ExportedKeys implements PersonalDataSource, OnApplicationBootstrap {
  readonly type = 'key';

  constructor(
    private readonly data: PersonalData,
    private readonly keys: KeysService,
  ) {}

  onApplicationBootstrap(): void {
    this.data.add(this);
  }

  async *read(call: Call): AsyncIterable<KeyView[]> {
    for await (const keys of allPages((page) => this.keys.list(call, page)))
      yield keys.filter(({ key }) => key.userId === call.principal.user.id).map((key) => KeyView.of(key));
  }
}
