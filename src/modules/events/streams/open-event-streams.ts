import { Injectable } from '@nestjs/common';
import { OpenStreams } from '../../limits/open-streams.js';

@Injectable()
export class OpenEventStreams extends OpenStreams {
  constructor() {
    super({
      policy: 'event_streams',
      inAll: 500,
      hint: 'Close a stream. One stream carries all events of an organization.',
    });
  }
}
