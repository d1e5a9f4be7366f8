import { Module } from '@nestjs/common';
import { GithubModule } from '../github.module.js';
import { GithubCallbackController } from './github-callback.controller.js';
import { GithubWebhookController } from './github-webhook.controller.js';
import { GithubController } from './github.controller.js';

@Module({ imports: [GithubModule], controllers: [GithubController, GithubWebhookController, GithubCallbackController] })
export class GithubHttpModule {}
