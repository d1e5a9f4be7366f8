import { Module } from '@nestjs/common';
import { SandboxModule } from '../sandbox.module.js';
import { SandboxController } from './sandbox.controller.js';

@Module({ imports: [SandboxModule], controllers: [SandboxController] })
export class SandboxHttpModule {}
