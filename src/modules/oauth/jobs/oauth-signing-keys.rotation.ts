import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { SigningKeysService } from '../keys/signing-keys.service.js';
import { oauthSigningKeysSchedule } from './oauth.job.js';

@Injectable()
@Handles(oauthSigningKeysSchedule)
export class OauthSigningKeysRotation implements ScheduleHandler {
  constructor(private readonly keys: SigningKeysService) {}

  run(): Promise<void> {
    return this.keys.rotate();
  }
}
