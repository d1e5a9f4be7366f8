import { Injectable } from '@nestjs/common';
import { OpenStreams } from '../../limits/open-streams.js';

@Injectable()
export class OpenExecutionStreams extends OpenStreams {
  constructor() {
    super({ policy: 'execution_streams', inAll: 1_000, hint: 'Close a stream, or wait until one has ended.' });
  }

  /** Opens a stream in one of the places of the subject, which is free when the stream ends. It must be read. */
  async open<News>(
    subject: string,
    places: number,
    begin: () => Promise<AsyncGenerator<News>>,
  ): Promise<AsyncGenerator<News>> {
    const free = this.take(subject, places);
    try {
      return freeing(await begin(), free);
    } catch (error) {
      free();
      throw error;
    }
  }
}

async function* freeing<News>(news: AsyncGenerator<News>, free: () => void): AsyncGenerator<News> {
  try {
    yield* news;
  } finally {
    free();
  }
}
