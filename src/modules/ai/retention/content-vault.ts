import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { KeyRing } from '../../../platform/secrets/key-ring.js';
import type { GenerationContent } from '../persistence/generation-contents.store.js';

type Texts = Readonly<Record<'request' | 'answer', string>>;
type Place = Pick<GenerationContent, 'orgId' | 'generationId'>;

/** Encrypts texts with keys that are derived from `SECRETS_KEY`, one for each organization. */
@Injectable()
export class ContentVault {
  constructor(private readonly config: Config) {}

  seal({ request, answer }: Texts, place: Place): Pick<GenerationContent, 'request' | 'answer'> {
    const keys = this.keysOf(place);
    return {
      request: keys.encrypt(request, contextOf(place, 'request')),
      answer: keys.encrypt(answer, contextOf(place, 'answer')),
    };
  }

  /** @throws {KeyMissing} @throws {Error} for texts of another generation. */
  open(content: Place & Pick<GenerationContent, 'request' | 'answer'>): Texts {
    const keys = this.keysOf(content);
    return {
      request: keys.decrypt(content.request, contextOf(content, 'request')),
      answer: keys.decrypt(content.answer, contextOf(content, 'answer')),
    };
  }

  private keysOf({ orgId }: Place): KeyRing {
    return new KeyRing('SECRETS_KEY', `generation contents of ${orgId}`, this.config.secretsKeys);
  }
}

const contextOf = ({ generationId }: Place, part: keyof Texts): string => `${generationId} ${part}`;
